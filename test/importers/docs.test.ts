import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dialects } from '../../importers/index.ts'

const PAGE = join(import.meta.dirname, '../../docs/foreign-spans.md')
const HEADING = '## What each source allows'

/** The table of the page, from what the dialects say of themselves. */
function table(): string {
  const columns = ['source', 'seen', 'evidence', 'from', 'to', 'payload', 'ids', 'not seen, or not believed']
  const rows = dialects.flatMap(({ coverage }) =>
    coverage.map(({ source, version, seen, evidence, from, to, payload, ids, hidden }) => [
      `${source}<br>${version}`,
      seen,
      evidence === 'none' ? 'none' : `\`${evidence}\``,
      from,
      to,
      payload,
      ids,
      hidden,
    ]),
  )
  return [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

it('docs/foreign-spans.md has the table of what each dialect allows, as the dialects have it', () => {
  const page = readFileSync(PAGE, 'utf8')
  const start = page.indexOf('\n| source |')
  const text = page.slice(0, start < 0 ? undefined : start + 1)
  expect(text).toContain(HEADING)
  const whole = `${text}${table()}`
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(PAGE, whole)
  else expect(page).toBe(whole)
})

it('every dialect covers something and has a name of its own', () => {
  expect(new Set(dialects.map(({ id }) => id)).size).toBe(dialects.length)
  expect(dialects.filter(({ coverage }) => coverage.length === 0)).toEqual([])
})
