import { rmSync } from 'node:fs'
import { type DuckDBConnection, LIST, listValue, VARCHAR } from './duckdb.ts'
import { storeHandoffSpans } from './linked-runs.ts'
import { createSchema } from './schema.ts'

/** What a copy leaves out: whole runs, and lines in quarantine found before a time (UTC, `2031-03-04 09:00:00`). */
export type LeftOut = { runs: readonly string[]; quarantineBefore?: string | undefined }

/** Rows of each table of schema `base`. */
export type TableCounts = Map<string, number>

/**
 * Writes the open database into a new file with the schema of today: one state of it, whatever is written meanwhile.
 * `only` names the tables to copy; the others stay empty. `allStale` marks every run, so that it is derived anew. The file
 * is complete and closed when this returns. Returns how many rows went into each table.
 */
export async function copyDatabase(
  connection: DuckDBConnection,
  path: string,
  { only, leftOut, allStale }: { only?: readonly string[]; leftOut?: LeftOut; allStale?: boolean } = {},
): Promise<TableCounts> {
  const open = await currentDatabase(connection)
  const source = quoteName(open)
  const name = `copy_${process.pid}_${serial++}`
  await connection.run(`ATTACH ${quoteText(path)} AS ${name} (STORAGE_VERSION 'v1.5.0')`)
  try {
    await connection.run(`USE ${name}`)
    await createSchema(connection)
    await connection.run(
      'CREATE OR REPLACE TEMP TABLE left_out AS SELECT unnest($1) AS run',
      [listValue([...(leftOut?.runs ?? [])])],
      [LIST(VARCHAR)],
    )
    const counts: TableCounts = new Map()
    await connection.run('BEGIN')
    for (const { table, hasRun } of await tablesOf(connection, open)) {
      if (table === 'meta' || (only !== undefined && !only.includes(table))) continue
      const inserted = await connection.run(
        `INSERT INTO ${name}.base.${table} BY NAME SELECT * FROM ${source}.base.${table}${filterOf(table, hasRun, leftOut)}`,
      )
      counts.set(table, Number(inserted.rowsChanged))
    }
    if (allStale) await connection.run('INSERT INTO base.stale_runs SELECT DISTINCT run FROM base.events')
    if (!counts.has('handoff_spans')) await storeHandoffSpans(connection)
    await connection.run('COMMIT')
    return counts
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => {})
    throw error
  } finally {
    await connection.run(`USE ${source}`)
    // Leaves no write-ahead log beside the file: it can be renamed as it is.
    await connection.run(`CHECKPOINT ${name}`).catch(() => {})
    await connection.run(`DETACH ${name}`)
  }
}

/** Opens a database file beside the open one, only to read, and makes it the current one while something is done. */
export async function withFile<T>(
  connection: DuckDBConnection,
  path: string,
  act: () => Promise<T>,
): Promise<T> {
  const own = quoteName(await currentDatabase(connection))
  const name = `file_${process.pid}_${serial++}`
  await connection.run(`ATTACH ${quoteText(path)} AS ${name} (READ_ONLY)`)
  try {
    await connection.run(`USE ${name}`)
    return await act()
  } finally {
    await connection.run(`USE ${own}`)
    await connection.run(`DETACH ${name}`)
  }
}

/** Counts the rows of each table of the current database. */
export async function countRows(connection: DuckDBConnection): Promise<TableCounts> {
  const counts: TableCounts = new Map()
  for (const { table } of await tablesOf(connection, await currentDatabase(connection))) {
    const result = await connection.runAndReadAll(`SELECT count(*) FROM base.${table}`)
    counts.set(table, Number(result.getRows()[0]![0]))
  }
  return counts
}

/** Opens a copy and counts. Returns what it holds; throws an Error that names a table with another number of rows. */
export async function verifyCopy(
  connection: DuckDBConnection,
  path: string,
  copied: TableCounts,
): Promise<TableCounts> {
  const found = await withFile(connection, path, () => countRows(connection))
  for (const [table, rows] of copied) {
    if (found.get(table) === rows) continue
    throw new Error(`${path} has ${found.get(table) ?? 0} rows of ${table}, but ${rows} were written`)
  }
  return found
}

/** Removes a copy that is not wanted, with the log that an unfinished one has beside it. */
export function removeCopy(path: string): void {
  rmSync(path, { force: true })
  rmSync(`${path}.wal`, { force: true })
}

// Whoever attaches a file does so under a name of its own: all connections of an instance see it.
let serial = 0

function filterOf(table: string, hasRun: boolean, leftOut: LeftOut | undefined): string {
  if (leftOut === undefined) return ''
  if (hasRun) return ' ANTI JOIN temp.left_out USING (run)'
  if (table === 'quarantine' && leftOut.quarantineBefore !== undefined) {
    return ` WHERE found_at >= TIMESTAMP ${quoteText(leftOut.quarantineBefore)}`
  }
  return ''
}

async function tablesOf(
  connection: DuckDBConnection,
  database: string,
): Promise<{ table: string; hasRun: boolean }[]> {
  const result = await connection.runAndReadAll(
    `SELECT table_name, bool_or(column_name = 'run') FROM duckdb_columns()
     WHERE database_name = $1 AND schema_name = 'base' GROUP BY table_name ORDER BY table_name`,
    [database],
  )
  return (result.getRows() as [string, boolean][]).map(([table, hasRun]) => ({ table, hasRun }))
}

async function currentDatabase(connection: DuckDBConnection): Promise<string> {
  return String((await connection.runAndReadAll('SELECT current_database()')).getRows()[0]![0])
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Text as a literal of SQL. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
