import type { Item } from '../model/items.ts'
import type { Evidence, HandoffDiff } from './diff/handoff-diff.ts'
import type { Draft } from './finding.ts'
import type { Handoff, Operation, Step } from './run.ts'

/** The agents of a handoff, sender first: the addressed one where nobody is known to have received it. */
export function agentsOf(handoff: Handoff): string[] {
  return [handoff.from, handoff.receipts[0]?.by ?? handoff.to].filter((agent) => agent !== undefined)
}

/** The receiver by name, for the start of a sentence. */
export function receiverOf(handoff: Handoff): string {
  return handoff.receipts[0]?.by ?? handoff.to ?? 'the receiver'
}

/** `reserve_stock (op-2)`. */
export function nameOf(operation: Operation): string {
  return operation.tool === '' ? operation.op : `${operation.tool} (${operation.op})`
}

/** The part of a draft that every finding about one handoff shares. */
export function aboutHandoff(handoff: Handoff): Pick<Draft, 'handoff' | 'attempt' | 'agents'> {
  return { handoff: handoff.id, attempt: handoff.attempt, agents: agentsOf(handoff) }
}

/** Pointers to both sides of a handoff, as far as the log holds them. */
export function bothSides({ sent, receipt }: Pick<HandoffDiff, 'sent' | 'receipt'>): Evidence[] {
  return [
    ...(sent === undefined ? [] : [{ step: sent.step, side: 'sender' as const }]),
    ...(receipt === undefined ? [] : [{ step: receipt.step, side: 'receiver' as const }]),
  ]
}

/** A pointer to the sender's own entry of an operation at a step. */
export function senderEntry(operation: Operation, step: Step): Evidence {
  const version = operation.versions.findLast((candidate) => candidate.step <= step) ?? operation.versions[0]!
  return { step: version.step, side: 'sender', path: `operation ${operation.op}` }
}

/** Text from the log as it stands in a sentence: one line, at most 80 characters, in quotes. */
export function quote(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim()
  return `"${line.length > 80 ? `${line.slice(0, 79)}…` : line}"`
}

/** An item as a sentence names it: its tool or id, and where it stands. */
export function nameOfItem(item: Item): string {
  const name = item.tool ?? item.id ?? item.type.replaceAll('_', ' ')
  return `${name} (${item.path})`
}

/** `a, b and c`; after the first few only how many more there are. */
export function listed(names: readonly string[], most = 4): string {
  const shown = names.length > most ? [...names.slice(0, most - 1), `${names.length - most + 1} more`] : names
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}
