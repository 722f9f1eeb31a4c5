import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newFolder, opened } from './folder.ts'

it('docs/store.md lists every view and column there is, and no other', async () => {
  const store = await opened(newFolder())
  const columns = await store.query(
    `SELECT table_name AS view, list(column_name ORDER BY column_index) AS columns FROM duckdb_columns()
     WHERE database_name = current_database() AND schema_name = 'main' AND NOT internal GROUP BY table_name`,
  )
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'store.md'), 'utf8')
  const sections = text.split(/^### /m).slice(1)
  const documented = sections.map((section) => ({
    view: section.slice(0, section.indexOf('\n')),
    columns: [...section.matchAll(/^\| `(\w+)` \| .+ \|$/gm)].map((match) => match[1]),
  }))
  const byView = (a: { view?: unknown }, b: { view?: unknown }) => (String(a.view) < String(b.view) ? -1 : 1)
  expect(documented.sort(byView)).toEqual(columns.sort(byView))
})
