import { statSync } from 'node:fs'
import { DuckDBInstance } from '../store/duckdb.ts'
import type { QueryAnswer } from '../store/index.ts'

/**
 * Writes an answer as a Parquet file. The owner's database reaches no files, so an instance of its own writes it. Throws
 * what the file system or DuckDB throws, and for a place that is no file: the new one would stand where a pipe or a device
 * was.
 */
export async function writeParquet(
  { columns, rows }: Pick<QueryAnswer, 'columns' | 'rows'>,
  path: string,
): Promise<void> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new Error('it is not a file')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const shape = Object.fromEntries(columns.map(({ name, type }) => [name, storedType(type)]))
    await connection.run('SET VARIABLE rows = $1', [JSON.stringify(rows)])
    await connection.run(
      `COPY (SELECT unnest(from_json(getvariable('rows'), '[${quoted(JSON.stringify(shape))}]'), max_depth := 2))
       TO '${quoted(path)}' (FORMAT parquet)`,
    )
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Parquet has no HUGEINT, which is what sums are: DuckDB would write it as DOUBLE. */
function storedType(type: string): string {
  return type === 'HUGEINT' ? 'BIGINT' : type
}

function quoted(text: string): string {
  return text.replaceAll("'", "''")
}
