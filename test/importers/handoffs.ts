import { readItems } from '../../model/items.ts'
import { type EventOf, isKind, type RunEvent } from '../../model/run-log.ts'

/** A handoff as a reader of the run log sees it. */
export type Told = {
  id: string
  from?: string | undefined
  to?: string | undefined
  mode?: string | undefined
  evidence?: string | undefined
  call?: string | undefined
  sent?: EventOf<'handoff.sent'> | undefined
  received: EventOf<'handoff.received'>[]
}

/** The handoffs in a log, in the order of their first events. */
export function handoffsIn(events: readonly RunEvent[]): Told[] {
  const told = new Map<string, Told>()
  for (const event of events) {
    if (!isKind(event, 'handoff.sent') && !isKind(event, 'handoff.received')) continue
    const known = told.get(event.handoff) ?? { id: event.handoff, received: [] }
    told.set(event.handoff, known)
    if (isKind(event, 'handoff.received')) known.received.push(event)
    else {
      const { from, to, mode, evidence, call } = event
      Object.assign(known, { from, to, mode, evidence, call, sent: event })
    }
  }
  return [...told.values()]
}

/** `from → to` of every handoff in a log, with mode and evidence. */
export function edgesIn(events: readonly RunEvent[]): string[] {
  return handoffsIn(events).map(
    ({ from, to, mode, evidence }) => `${from ?? '?'} → ${to ?? '?'} (${mode}, ${evidence})`,
  )
}

/** The operations in a log with the states that each went through. */
export function operationsIn(events: readonly RunEvent[]): Record<string, string> {
  const states: Record<string, string> = {}
  for (const event of events) {
    if (!isKind(event, 'operation')) continue
    const name = `${event.agent ?? '?'} ${event.tool ?? '?'} ${event.call ?? '-'}`
    states[name] = states[name] === undefined ? String(event.state) : `${states[name]}, ${event.state}`
  }
  return states
}

/** What a model reads in a list of items, in words that do not hang on the form in which they are kept. */
export function substance(items: unknown): string[] {
  return readItems(items).map(({ type, role, text, call, tool, args }) => {
    if (type === 'tool_call') return `call ${tool} ${call} ${JSON.stringify(args ?? {})}`
    if (type === 'tool_result') return `result ${call} ${text}`
    return `${role}: ${text}`
  })
}
