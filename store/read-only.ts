import { isObject } from '../model/json.ts'
import type { DuckDBConnection } from './duckdb.ts'
import { StoreError } from './errors.ts'
import { queryFailed } from './query.ts'

/*
 * A query reads, and reads nothing but the store. Three layers: DuckDB's parser must accept it as SELECT (which
 * includes DESCRIBE, SHOW, SUMMARIZE and FROM-first); every table function in it must be one that touches no file; and the
 * instance has external access switched off. The last alone would not do: DuckDB still lets a query read the database
 * file itself, and reading it in the owner's process drops the lock on it.
 */

const TABLE_FUNCTIONS = new Set([
  'range',
  'generate_series',
  'unnest',
  'repeat',
  'repeat_row',
  'json_each',
  'json_tree',
  'duckdb_columns',
  'duckdb_tables',
  'duckdb_views',
  'duckdb_functions',
  'duckdb_types',
  'duckdb_keywords',
  'duckdb_settings',
  'pragma_table_info',
  'pragma_version',
  'histogram',
  'histogram_values',
])

// Comments before the first word; then EXPLAIN with what says how.
const EXPLAIN =
  /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(explain\b(?:\s+analyze\b)?(?:\s*\(\s*(?:analyze|format)\b[a-z_,\s]*\))?)/i

/** Checks one query. Returns the statement to run. Throws `query-refused` or, for a mistake in it, `query-failed`. */
export async function verifyReadOnly(connection: DuckDBConnection, sql: string): Promise<string> {
  // EXPLAIN changes nothing, but the parser gives no tree for it: its query is checked, and put behind it again, so that
  // nothing else is run than what was checked.
  const explain = EXPLAIN.exec(sql)
  const inner = explain === null ? sql : sql.slice(explain[0].length)
  const tree = await parse(connection, inner)
  if (tree.error === true) {
    if (tree.error_type !== 'not implemented') throw mistake(tree)
    throw refused('Only queries are answered: SELECT, WITH, FROM, DESCRIBE, SHOW, SUMMARIZE, EXPLAIN.')
  }
  const statements = Array.isArray(tree.statements) ? tree.statements : []
  if (statements.length === 0) throw refused('There is no query.')
  if (statements.length > 1) throw refused('One query at a time is answered.')
  verifyNode(statements[0])
  return explain === null ? sql : `${explain[1]} ${inner}`
}

async function parse(connection: DuckDBConnection, sql: string): Promise<Record<string, unknown>> {
  try {
    const result = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql])
    const tree: unknown = JSON.parse(String(result.getRows()[0]![0]))
    return isObject(tree) ? tree : {}
  } catch (error) {
    throw queryFailed(error)
  }
}

function mistake(tree: Record<string, unknown>): StoreError {
  return new StoreError('query-failed', String(tree.error_message), {
    remedy: 'docs/store.md lists every view and column.',
  })
}

/** Walks the whole tree with a stack of its own: a query may be nested deeper than JavaScript calls may be. */
function verifyNode(root: unknown): void {
  const stack: unknown[] = [root]
  while (stack.length > 0) {
    const node = stack.pop()
    if (Array.isArray(node)) for (const child of node) stack.push(child)
    else if (isObject(node)) {
      if (node.type === 'TABLE_FUNCTION') verifyFunction(node.function)
      if (node.type === 'BASE_TABLE') verifyTable(node)
      for (const child of Object.values(node)) stack.push(child)
    }
  }
}

function verifyFunction(call: unknown): void {
  const name = isObject(call) ? String(call.function_name).toLowerCase() : ''
  if (!TABLE_FUNCTIONS.has(name)) {
    throw refused(
      `The table function ${name} is not available: queries read the views of the store and no files.`,
    )
  }
}

// With what a name of several parts ends, of which DuckDB would make a file: "/a/b".csv is /a/b.csv.
const FILE_ENDING = /^(?:csv|tsv|txt|json|jsonl|ndjson|parquet|avro|db|ddb|duckdb|gz|zst)$/i

/** `FROM 'file.csv'` is a table with the name of a file, and so is `FROM "file".csv`. */
function verifyTable({ catalog_name, schema_name, table_name }: Record<string, unknown>): void {
  const parts = [catalog_name, schema_name, table_name].map((part) => String(part ?? '')).filter(Boolean)
  const isFile =
    parts.some((part) => /[./\\:?*[\]]/.test(part)) || parts.slice(1).some((part) => FILE_ENDING.test(part))
  if (isFile)
    throw refused(`'${parts.join('.')}' is no view: queries read the views of the store and no files.`)
}

function refused(message: string): StoreError {
  return new StoreError('query-refused', message, { remedy: 'docs/store.md lists every view and column.' })
}
