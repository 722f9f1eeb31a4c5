import { isObject, textOf } from './json.ts'

/** Who started a run, and with what authority. */
export type Principal = { id?: string | undefined; kind?: string | undefined }

const KINDS = new Map(
  Object.entries({
    human: 'human',
    user: 'human',
    person: 'human',
    customer: 'human',
    org: 'org',
    organisation: 'org',
    organization: 'org',
    tenant: 'org',
    system: 'system',
    service: 'system',
    webhook: 'system',
    event: 'system',
    framework: 'system',
    schedule: 'schedule',
    cron: 'schedule',
    timer: 'schedule',
    agent: 'agent',
    assistant: 'agent',
    tool: 'agent',
  }),
)

/** The standard word for a kind of origin (`user` means human, `cron` means schedule); other words are kept. */
export function originKind(word: string): string {
  const plain = word.trim().toLowerCase()
  return KINDS.get(plain) ?? plain
}

/**
 * Reads a principal or origin in any of its forms: `{kind, id}`, a plain word (`"user"`), or word and id
 * (`"webhook:warehouse"`). A word that is no kind is read as an id. Undefined if it says nothing.
 */
export function readPrincipal(value: unknown): Principal | undefined {
  if (typeof value === 'string') {
    if (value === '') return undefined
    const at = value.indexOf(':')
    const word = at < 0 ? value : value.slice(0, at)
    const known = KINDS.get(word.trim().toLowerCase())
    if (known === undefined) return { id: value }
    const id = at < 0 ? undefined : textOf(value.slice(at + 1))
    return id === undefined ? { kind: known } : { kind: known, id }
  }
  if (!isObject(value)) return undefined
  const id = textOf(value.id)
  const kind = textOf(value.kind)
  return id === undefined && kind === undefined ? undefined : { id, kind: kind && originKind(kind) }
}
