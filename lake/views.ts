import type { View } from '../store/views.ts'
import { COLUMNS_FILE, PART_SQL } from './layout.ts'

/**
 * A run may have been exported more than once. The export with most of its events counts, and of equals the latest: parts
 * are named so that later ones come later.
 */
export function chosenSql(fileList: string): string {
  return `SELECT run, max_by(part, (events, part)) AS part
  FROM (SELECT run, events, ${PART_SQL} AS part FROM ${readSql(fileList)}) GROUP BY run`
}

/** The query of a view over its files; with `chosen`, only of the exports that count. */
export function viewSql({ columns }: View, fileList: string, chosen: string | undefined): string {
  const list = columns.map(({ name, type }) => `"${name}"::${type} AS "${name}"`).join(', ')
  const from = `FROM ${readSql(fileList)}`
  return chosen === undefined
    ? `SELECT ${list} ${from}`
    : `SELECT ${list} ${from} AS f SEMI JOIN ${chosen} AS c ON f.run = c.run AND ${PART_SQL} = c.part`
}

function readSql(fileList: string): string {
  return `read_parquet(${fileList}, filename = true, hive_partitioning = false, union_by_name = true)`
}

/** The text of views.sql: the views of the lake for plain DuckDB, read from within the folder. */
export function viewsFile(views: readonly View[]): string {
  const glob = (view: string) => `'${view}/*/*.parquet'`
  const each = views.map(
    (view) => `CREATE OR REPLACE VIEW ${view.view} AS\n${viewSql(view, glob(view.view), 'lake_parts')};`,
  )
  return `-- The views of handspan over this folder, for plain DuckDB. From within the folder: duckdb -init views.sql
-- Elsewhere: SET file_search_path = 'the folder'; then .read views.sql
-- ${COLUMNS_FILE} in day=undated holds no rows: it gives a view its columns where there is no run.

-- Which export of each run counts.
CREATE OR REPLACE VIEW lake_parts AS
${chosenSql(glob('runs'))};

${each.join('\n\n')}
`
}
