import type { DuckDBConnection } from './duckdb.ts'

/** A view and its columns, in their order. */
export type View = { view: string; columns: { name: string; type: string }[] }

/** The views that say something of a run: all but those about files that were read, and the spans that runs were read from. */
export async function runViews(connection: DuckDBConnection): Promise<View[]> {
  const result = await connection.runAndReadAll(
    `SELECT table_name, column_name, data_type FROM duckdb_columns()
     WHERE database_name = current_database() AND schema_name = 'main' AND NOT internal
     ORDER BY table_name, column_index`,
  )
  const views = new Map<string, View['columns']>()
  for (const [view, name, type] of result.getRows() as [string, string, string][]) {
    views.set(view, [...(views.get(view) ?? []), { name, type }])
  }
  return [...views]
    .map(([view, columns]) => ({ view, columns }))
    .filter(({ view, columns }) => view !== 'spans' && columns.some(({ name }) => name === 'run'))
}
