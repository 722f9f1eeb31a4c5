import { checks } from '../replay/catalogue/index.ts'
import { FILTER_FIELDS } from './filter.ts'
import type { Completion } from './prompt.ts'

/** Names of the views of a store, each with its columns. */
export type Schema = ReadonlyMap<string, readonly string[]>

const NONE: Completion = { from: 0, words: [] }

const KEYWORDS = ['SELECT', 'FROM', 'WHERE', 'GROUP BY', 'ORDER BY', 'LIMIT', 'JOIN', 'USING', 'COUNT(*)']

/** Views after FROM and JOIN, the columns of a view after its name and a dot, else columns of the views named in the query. */
export function completeSql(before: string, whole: string, schema: Schema): Completion {
  const [, owner, word] = /(?:(\w+)\.)?(\w*)$/u.exec(before)!
  const from = before.length - word!.length
  if (insideText(before)) return NONE
  const views = [...schema.keys()]
  if (owner !== undefined) return matching(word!, from, schema.get(aliases(whole).get(owner) ?? owner) ?? [])
  if (/\b(?:from|join)\s+\w*$/iu.test(before) || /\b(?:from|join)\b[^()]*,\s*\w*$/iu.test(before))
    return matching(word!, from, views)
  const named = views.filter((view) => new RegExp(`\\b(?:from|join|,)\\s*${view}\\b`, 'iu').test(whole))
  const columns = (named.length === 0 ? views : named).flatMap((view) => schema.get(view) ?? [])
  return matching(word!, from, [...new Set([...columns, ...views, ...KEYWORDS])])
}

/** Within quotes a text is typed, and not a name. */
function insideText(before: string): boolean {
  return (before.match(/'/gu)?.length ?? 0) % 2 === 1
}

/** `FROM runs r` and `FROM runs AS r`: what a short name stands for. */
function aliases(sql: string): Map<string, string> {
  const found = sql.matchAll(/\b(?:from|join)\s+(\w+)\s+(?:as\s+)?(\w+)/giu)
  return new Map([...found].map(([, view, short]) => [short!, view!]))
}

/** Fields, and after `check:` and `severity:` what can stand there. */
export function completeFilter(before: string): Completion {
  const [, field, word] = /-?(?:([a-z]+):)?([\w-]*)$/u.exec(before)!
  const from = before.length - word!.length
  if (field === 'check')
    return matching(
      word!,
      from,
      checks.map(({ id }) => id),
    )
  if (field === 'severity') return matching(word!, from, ['error', 'warning', 'info'])
  if (field === 'is') return matching(word!, from, ['in-doubt', 'open', 'failed'])
  if (field !== undefined) return NONE
  return matching(
    word!.replace(/^-/u, ''),
    word!.startsWith('-') ? from + 1 : from,
    FILTER_FIELDS.map((name) => `${name}:`),
  )
}

/** The first word of the command line. */
export function completeCommand(before: string, names: readonly string[]): Completion {
  return /\s/u.test(before) ? NONE : matching(before, 0, names)
}

/** Case does not matter; what is there already completes to nothing. */
function matching(word: string, from: number, words: readonly string[]): Completion {
  const start = word.toLowerCase()
  return { from, words: words.filter((one) => one.toLowerCase().startsWith(start) && one !== word) }
}
