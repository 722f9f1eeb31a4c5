import type { Json, JsonObject } from '../model/json.ts'

/*
 * Redaction: what is taken out of an event before it is written. First a default set for credentials, then the hook of
 * the program. Ids and keys stay, for without them nothing can be joined.
 */

/**
 * The program's own redaction. Called for every text with the path of its field (`items[2].content`); returns the text
 * that may be written. If it throws or returns anything else, the text is replaced by a marker.
 */
export type RedactHook = (text: string, path: string) => string

/** Fields whose value is a credential because of how their name ends, compared without case, `-` and `_`. */
const SECRET_NAMES =
  /(passw(or)?d|passphrase|pwd|secret|(?<!page|next|previous|continuation|cursor|sync|stop|cancel|cancellation|idempotency|dedupe)token|authorization|(api|access|private|secret|encryption|signing|account|service)keys?|cookies?|credentials?|connectionstring)$/

/** Forms by which a credential is recognised inside any text. Every one is anchored to a prefix of its own. */
const SECRET_FORMS: [string, RegExp][] = [
  [
    'private key',
    /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|$)/g,
  ],
  ['token', /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g],
  ['token', /\b((?:Bearer|Basic|Token)[ \t]+)(?=[^\s"',;]*[\d+/=._~-])[\w+/=.~-]{16,}/gi],
  ['api key', /\bsk-(?:ant-|proj-|svcacct-|or-|lf-)?(?=[\w-]*\d)[\w-]{20,}/g],
  ['api key', /\b[srp]k_(?:live|test)_\w{16,}/g],
  ['token', /\b(?:gh[pousr]_\w{30,}|github_pat_\w{40,}|glpat-[\w-]{20,}|npm_[A-Za-z0-9]{30,})/g],
  ['token', /\bxox[abeoprs]-[\w-]{10,}/g],
  ['access key', /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g],
  ['api key', /\bAIza[\w-]{35}/g],
  ['token', /\bya29\.[\w-]{20,}/g],
  ['api key', /\bSG\.[\w-]{16,}\.[\w-]{16,}/g],
  ['token', /\bhf_[A-Za-z0-9]{30,}/g],
  ['password', /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"']{0,100}:)[^\s/@"']{1,200}(?=@)/gi],
  [
    'password',
    /\b((?:password|passwd|pwd|secret|api[_-]?key|access[_-]?token|refresh[_-]?token|client[_-]?secret)["']?\s*[=:]\s*["']?)(?!\[redacted)[^\s"',;&}]{4,}/gi,
  ],
]

// One cheap look decides for most texts that none of the forms can be in them.
const MAYBE_SECRET =
  /-----BEGIN|eyJ|bearer|basic|token|secret|passw|pwd|api[_-]?key|k[-_]|gh[pousr]_|github_pat|glpat|npm_|xox|A[KSBC]IA|ACCA|AIza|ya29|SG\.|hf_|:\/\//i

/** Names whose values identify: they are never taken for credentials because of their name. */
const ID_FIELDS = new Set([
  'key',
  'op',
  'id',
  'run',
  'handoff',
  'call',
  'call_id',
  'tool_call_id',
  'for',
  'hash',
])

/** Where ids and keys of the run log itself stand: kept whatever they look like. */
const ID_PATHS =
  /^(?:(?:key|op|id|handoff|call|for|approval|replay_of)|record\.(?:(?:open_operations|completed_effects|pending_actions|constraints|commitments)\[\d+\]\.(?:key|op|id|for)|correlation_id))$/

/** What redaction gives back: the fields, and how many values were replaced. */
export type Redacted = { fields: JsonObject; replaced: number }

/** Takes credentials, and what the hook says, out of the fields of one event. Never throws. */
export function redact(fields: JsonObject, hook?: RedactHook): Redacted {
  const counter = { replaced: 0 }
  const out = redactObject(fields, '', hook, counter)
  return { fields: out, replaced: counter.replaced }
}

type Counter = { replaced: number }

// Paths cost more than all else here, so below the event they are built only where somebody reads them: for the hook,
// and inside the record, where ids of the run log stand.
type Path = string | undefined

function redactValue(value: Json, path: Path, hook: RedactHook | undefined, counter: Counter): Json {
  if (typeof value === 'string') return redactLeaf(value, path, hook, counter)
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) return redactObject(value, path, hook, counter)
  return value.map((element, index) =>
    redactValue(element, path === undefined ? undefined : `${path}[${index}]`, hook, counter),
  )
}

function redactObject(
  fields: JsonObject,
  path: Path,
  hook: RedactHook | undefined,
  counter: Counter,
): JsonObject {
  const out: JsonObject = {}
  for (const name of Object.keys(fields)) {
    const value = fields[name]!
    const kept = hasSecretName(name, value)
      ? marker('by name', counter)
      : redactValue(value, pathBelow(path, name, value, hook), hook, counter)
    // A name can hold a credential as well: a map from token to user.
    define(out, redactText(name, counter), kept)
  }
  return out
}

function pathBelow(path: Path, name: string, value: Json, hook: RedactHook | undefined): Path {
  if (path === undefined) return undefined
  if (path !== '') return `${path}.${name}`
  return hook !== undefined || typeof value === 'string' || name === 'record' ? name : undefined
}

function redactLeaf(text: string, path: Path, hook: RedactHook | undefined, counter: Counter): string {
  if (path !== undefined && ID_PATHS.test(path)) return text
  const clean = redactText(text, counter)
  if (hook === undefined) return clean
  const own = runHook(hook, clean, path ?? '')
  if (own !== clean) counter.replaced++
  return own
}

function runHook(hook: RedactHook, text: string, path: string): string {
  try {
    const own: unknown = hook(text, path)
    return typeof own === 'string' ? own : '[redacted: the hook gave no text]'
  } catch {
    return '[redacted: the hook failed]'
  }
}

/** Replaces the credentials in one text; what introduces them (`Bearer `, `password=`) stays readable. */
function redactText(text: string, counter: Counter): string {
  if (text.length < 8 || !MAYBE_SECRET.test(text)) return text
  let out = text
  for (const [what, form] of SECRET_FORMS) {
    out = out.replace(form, (_match, intro?: unknown) => {
      counter.replaced++
      return `${typeof intro === 'string' ? intro : ''}[redacted: ${what}]`
    })
  }
  return out
}

function hasSecretName(name: string, value: Json): boolean {
  if (name.length > 40 || ID_FIELDS.has(name)) return false
  // Numbers under such a name are counts (`token: 12`), an empty text is nothing.
  const holds = (typeof value === 'string' && value !== '') || (typeof value === 'object' && value !== null)
  return holds && SECRET_NAMES.test(name.toLowerCase().replace(/[-_ .]/g, ''))
}

function marker(what: string, counter: Counter): string {
  counter.replaced++
  return `[redacted: ${what}]`
}

function define(out: JsonObject, name: string, value: Json): void {
  if (name === '__proto__') {
    Object.defineProperty(out, name, { value, enumerable: true, configurable: true, writable: true })
  } else {
    out[name] = value
  }
}
