import type { Json } from '../model/json.ts'
import type { DuckDBConnection, DuckDBType } from './duckdb.ts'
import { parameterValue, plainValue, type QueryParameter } from './duckdb-values.ts'
import { isUnsound, StoreError } from './errors.ts'

/** A row of an answer, by column. Values as `plainValue` makes them. */
export type QueryRow = { [column: string]: Json }

export type Column = { name: string; type: string }

/** Parts of an answer as they are sent: the columns first, then rows. */
export type QueryPart = { columns?: Column[]; rows?: QueryRow[] }

/** Gives a part to whoever asked; resolves when there is room for the next one. */
export type Emit = (part: unknown) => Promise<void>

/**
 * Runs one query and hands on its rows chunk by chunk, `limit` of them at the most. Returns whether there were more.
 * Throws `query-failed` with DuckDB's message.
 */
export async function streamQuery(
  connection: DuckDBConnection,
  sql: string,
  parameters: readonly QueryParameter[],
  emit: Emit,
  limit = Number.POSITIVE_INFINITY,
): Promise<{ truncated: boolean }> {
  try {
    const result = await connection.stream(sql, parameters.map(parameterValue))
    const names = result.deduplicatedColumnNames()
    const types = result.columnTypes()
    await emit({ columns: names.map((name, index) => ({ name, type: nameOfType(types[index]!) })) })
    let left = limit
    for await (const chunk of result) {
      const rows = chunk
        .getRows()
        .slice(0, left)
        .map((row) => Object.fromEntries(names.map((name, at) => [name, plainValue(row[at]!, types[at])])))
      if (rows.length > 0) await emit({ rows })
      if (rows.length < chunk.rowCount) return { truncated: true }
      left -= rows.length
    }
    return { truncated: false }
  } catch (error) {
    throw queryFailed(error)
  }
}

/** Sets variables of a connection, for `getvariable`. Names must be plain words. */
export async function setVariables(
  connection: DuckDBConnection,
  variables: Readonly<Record<string, QueryParameter>>,
): Promise<void> {
  for (const [name, value] of Object.entries(variables)) {
    if (!/^[a-z_]+$/.test(name)) {
      throw new StoreError('query-refused', `'${name}' is no name of a variable.`, {
        remedy: 'Use small letters and underscores.',
      })
    }
    await connection.run(`SET VARIABLE ${name} = $1`, [parameterValue(value)])
  }
}

function nameOfType(type: DuckDBType): string {
  return type.alias ?? type.toString()
}

export function queryFailed(error: unknown): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error
  // No mistake in the query: the owner says which file it is.
  if (/^IO Error/.test(error.message) && isUnsound(error.message)) return error
  if (/^Out of Memory Error/.test(error.message)) {
    return new StoreError(
      'out-of-memory',
      'The query was ended: it needs more memory than this machine gives.',
      {
        remedy: 'Ask for less: a run, a day, fewer columns.',
        cause: error,
      },
    )
  }
  return new StoreError('query-failed', error.message, {
    remedy: 'docs/store.md lists every view and column.',
    cause: error,
  })
}
