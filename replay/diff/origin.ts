import type { Item } from '../../model/items.ts'
import { originKind, type Principal, readPrincipal } from '../../model/principal.ts'
import type { Receipt, Run, Sent } from '../run.ts'
import type { OriginCrossing } from './handoff-diff.ts'

// More authority, higher number. Words that are none of these are not ranked.
const RANK: Record<string, number> = { agent: 0, system: 1, schedule: 1, org: 2, human: 3 }

/**
 * Who the sender's runtime knew to have started the task, against what the receiver got. A sender that passed no
 * principal on cannot lose it: then only a different one at the receiver counts.
 */
export function diffOrigin(run: Run, sent: Sent | undefined, receipt: Receipt): OriginCrossing {
  const explicit = readPrincipal(sent?.event.principal) ?? sent?.record?.origin
  const known = complete(explicit, run.principal)
  const received = readPrincipal(receipt.event.principal) ?? receipt.record?.origin
  return {
    verdict: verdictOf(explicit !== undefined, known, received),
    sent: known,
    received,
    escalations: escalations(receipt.items ?? [], sent?.items ?? []),
  }
}

/** The sender may name the id alone; kind and id that it leaves out are the run's, if they are about the same one. */
function complete(explicit: Principal | undefined, run: Principal | undefined): Principal | undefined {
  if (explicit === undefined) return run
  const same =
    run !== undefined && (explicit.id === undefined || run.id === undefined || explicit.id === run.id)
  return same ? { id: explicit.id ?? run.id, kind: explicit.kind ?? run.kind } : explicit
}

function verdictOf(
  explicit: boolean,
  known: Principal | undefined,
  received: Principal | undefined,
): OriginCrossing['verdict'] {
  if (known === undefined) return 'not judged'
  if (received === undefined) return explicit ? 'absent' : 'not judged'
  const otherKind = known.kind !== undefined && received.kind !== undefined && known.kind !== received.kind
  const otherId = known.id !== undefined && received.id !== undefined && known.id !== received.id
  if (!otherKind && !otherId) return 'same'
  return otherKind && outranks(received.kind!, known.kind!) ? 'escalated' : 'changed'
}

function outranks(a: string, b: string): boolean {
  const x = RANK[a]
  const y = RANK[b]
  return x !== undefined && y !== undefined && x > y
}

/** Items that speak with an authority nobody gave them. What the sender's own list already held is not the handoff's. */
function escalations(items: readonly Item[], before: readonly Item[]): OriginCrossing['escalations'] {
  return items.flatMap((item) => {
    const why = escalation(item, before)
    return why === undefined ? [] : [{ item, why }]
  })
}

function escalation(item: Item, before: readonly Item[]): string | undefined {
  const kind = item.origin?.kind === undefined ? undefined : originKind(item.origin.kind)
  if (item.role === 'user' && kind !== undefined && kind !== 'human')
    return `stands in the user's role, but comes from ${kind}`
  if (item.claims !== undefined && kind !== 'human') {
    const author = item.author ?? kind ?? 'an unknown author'
    if ((RANK[originKind(item.claims)] ?? 0) > (RANK[kind ?? 'agent'] ?? 0))
      return `is by ${author}, but claims to be from ${item.claims}`
  }
  if (item.role !== 'user' || item.id === undefined) return undefined
  const original = before.find((other) => other.id === item.id)
  if (original === undefined || original.role === undefined || original.role === 'user') return undefined
  return `was ${original.role} at the sender and stands in the user's role`
}
