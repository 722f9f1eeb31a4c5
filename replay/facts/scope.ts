import { canonicalJson } from '../../model/hash.ts'
import { fromJsonText, isObject } from '../../model/json.ts'

/** How the scope of a yes stands to the arguments of a call: equal where both speak, different, or not comparable. */
export type ScopeComparison =
  | { verdict: 'same' | 'not comparable' }
  | { verdict: 'different'; field: string; scope: unknown; actual: unknown }

/**
 * Compares a scope with arguments. A scope may leave arguments out; what it names has to agree. Text that is JSON is read
 * as such, `40` and `"40"` are equal, a list allows each of its members and `{max, min}` allows a range. Prose is not
 * compared.
 */
export function compareScope(scope: unknown, args: unknown): ScopeComparison {
  const left = fromJsonText(scope)
  const right = fromJsonText(args)
  if (!isObject(left) || !isObject(right)) return { verdict: 'not comparable' }
  let shared = false
  for (const [field, wanted] of Object.entries(left)) {
    if (!Object.hasOwn(right, field)) continue
    const actual = right[field]
    const verdict = compareValue(wanted, actual)
    if (verdict === 'different') return { verdict, field, scope: wanted, actual }
    if (verdict === 'same') shared = true
  }
  return { verdict: shared ? 'same' : 'not comparable' }
}

function compareValue(wanted: unknown, actual: unknown): ScopeComparison['verdict'] {
  if (wanted === '*' || canonicalJson(wanted ?? null) === canonicalJson(actual ?? null)) return 'same'
  if (isObject(wanted)) {
    if (isObject(actual)) return compareScope(wanted, actual).verdict
    return compareRange(wanted, actual)
  }
  if (Array.isArray(wanted)) {
    if (Array.isArray(actual)) return 'different'
    return wanted.some((member) => sameScalar(member, actual)) ? 'same' : 'different'
  }
  if (isObject(actual) || Array.isArray(actual)) return 'not comparable'
  return sameScalar(wanted, actual) ? 'same' : 'different'
}

function compareRange({ max, min }: Record<string, unknown>, actual: unknown): ScopeComparison['verdict'] {
  const value = Number(actual)
  if (!Number.isFinite(value) || (typeof max !== 'number' && typeof min !== 'number')) return 'not comparable'
  const over = typeof max === 'number' && value > max
  const under = typeof min === 'number' && value < min
  return over || under ? 'different' : 'same'
}

function sameScalar(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (a === null || b === null || a === undefined || b === undefined) return false
  const [x, y] = [String(a).trim(), String(b).trim()]
  return x === y || (x !== '' && y !== '' && Number(x) === Number(y))
}
