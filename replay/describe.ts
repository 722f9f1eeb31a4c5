import { bytes, plural } from '../model/counts.ts'
import { canonicalJson } from '../model/hash.ts'
import { readItems, textOfContent } from '../model/items.ts'
import { readPrincipal } from '../model/principal.ts'
import { isKind, type RunEvent } from '../model/run-log.ts'
import { bytesOf } from '../model/sizes.ts'
import { knownHow } from './known-how.ts'

/** One event as a line of a timeline: who, and what happened, in words. Not escaped: that is the output's part. */
export type EventLine = { agent: string; what: string }

/** Describes any event; a kind that is not known is shown with its fields. */
export function describeEvent(event: RunEvent): EventLine {
  return { agent: agentOf(event), what: whatOf(event) }
}

function agentOf(event: RunEvent): string {
  if (isKind(event, 'handoff.sent')) return event.from ?? event.agent ?? ''
  if (event.kind.startsWith('handoff.') && typeof event.by === 'string') return event.by
  return event.agent ?? ''
}

function whatOf(event: RunEvent): string {
  if (isKind(event, 'operation')) return operationLine(event)
  if (isKind(event, 'message')) return `${event.role ?? 'message'}: ${textOfContent(event.content)}`
  if (isKind(event, 'handoff.sent')) return sentLine(event)
  if (isKind(event, 'handoff.received')) return receivedLine(event)
  if (isKind(event, 'approval')) return approvalLine(event)
  if (isKind(event, 'constraint')) {
    return `constraint ${event.id} ${event.state === 'revoked' ? 'revoked' : ''} ${event.text ?? ''}`
      .replace(/ +/g, ' ')
      .trim()
  }
  if (isKind(event, 'commitment'))
    return `commitment ${event.id} ${event.state ?? 'open'}: ${event.text ?? ''}`
  if (isKind(event, 'run.start')) return startLine(event)
  if (isKind(event, 'run.end')) return `run ends${event.outcome === undefined ? '' : `: ${event.outcome}`}`
  if (isKind(event, 'run.failed')) return `run fails: ${textOfContent(event.error)}`
  if (isKind(event, 'model.input')) return `model request, ${count(event.items, 'item')}`
  if (isKind(event, 'truth')) return `in truth, ${event.op} was ${event.state}`
  if (isKind(event, 'handoff.verdict'))
    return `verdict on ${event.handoff}: ${event.verdict} ${textOfContent(event.comments)}`.trim()
  if (isKind(event, 'handoff.failed'))
    return `handoff ${event.handoff} fails (${event.outcome ?? 'unknown'}) ${textOfContent(event.error)}`.trim()
  if (event.kind === 'handoff.accepted') return `accepts ${event.handoff}`
  if (event.kind === 'handoff.declined')
    return `declines ${event.handoff} ${textOfContent(event.reason)}`.trim()
  return otherLine(event)
}

function operationLine(
  event: RunEvent & {
    op: string
    tool?: string
    state?: string
    key?: string
    args?: unknown
    result?: unknown
    by?: string
  },
): string {
  const key = event.key === undefined ? '' : ` key ${event.key}`
  const by = event.by === undefined || event.by === event.state ? '' : ` by ${event.by}`
  const args = event.args === undefined ? '' : ` ${canonicalJson(event.args)}`
  const result = event.result === undefined ? '' : ` → ${textOfContent(event.result)}`
  return `${event.op} ${event.tool ?? ''} ${event.state ?? ''}${by}${key}${args}${result}`.replace(/ +/g, ' ')
}

function sentLine(
  event: RunEvent & {
    handoff: string
    to?: string
    mode?: string
    reason?: string
    items_before?: unknown[]
    record?: unknown
  },
): string {
  const reason = event.reason === undefined ? '' : ` (${event.reason})`
  const known = knownHow(event)
  const how = known === undefined ? '' : ` (${known})`
  return `${event.handoff} → ${event.to ?? '?'} ${event.mode ?? 'transfer'}${how}${reason}: has ${count(event.items_before, 'item')}, ${recordSize(event.record)}`
}

function receivedLine(event: RunEvent & { handoff: string; items?: unknown[]; record?: unknown }): string {
  return `receives ${event.handoff}: its model gets ${count(event.items, 'item')}, ${recordSize(event.record)}`
}

function recordSize(record: unknown): string {
  return record === undefined ? 'no record' : `record of ${bytes(bytesOf(record))}`
}

function count(list: unknown[] | undefined, noun: string): string {
  if (list === undefined) return `${noun}s not captured`
  return `${plural(list.length, noun)} of ${bytes(bytesOf(list))}`
}

function approvalLine(
  event: RunEvent & { id: string; state?: string; action?: string; scope?: unknown; by?: string },
): string {
  const scope = event.scope === undefined ? '' : ` ${canonicalJson(event.scope)}`
  const by = event.by === undefined ? '' : ` by ${event.by}`
  return `approval ${event.id} ${event.state ?? 'pending'}${by}${event.action === undefined ? '' : `: ${event.action}${scope}`}`
}

function startLine(event: RunEvent & { principal?: unknown }): string {
  const principal = readPrincipal(event.principal)
  if (principal === undefined) return 'run starts'
  return `run starts, for ${[principal.kind, principal.id].filter((word) => word !== undefined).join(' ')}`
}

const COMMON = new Set(['v', 'run', 'seq', 'at', 'writer', 'kind', 'agent', 'trace', 'evidence', 'by'])

function otherLine(event: RunEvent): string {
  const fields = Object.entries(event)
    .filter(([name]) => !COMMON.has(name))
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : canonicalJson(value ?? null)}`)
  return [event.kind, ...fields].join(' ')
}

/** The first words of an item, for a list: its kind, who speaks, and the text. */
export function describeItem(raw: unknown): string {
  return readItems([raw])
    .map((item) => {
      const call = item.tool === undefined ? '' : ` ${item.tool}`
      const args = item.args === undefined ? '' : ` ${canonicalJson(item.args)}`
      return `${item.author ?? item.role ?? item.type}${item.type === 'message' ? '' : ` ${item.type}`}${call}${args} ${item.text}`.replace(
        / +/g,
        ' ',
      )
    })
    .join(' · ')
}
