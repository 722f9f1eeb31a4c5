import type { Principal } from '../../model/principal.ts'
import { readPrincipal } from '../../model/principal.ts'
import { latestReceipt, tookPartBefore } from '../facts/participation.ts'
import type { Handoff, Receipt, Run, Sent } from '../run.ts'
import { findEscalations, outranks } from './escalations.ts'
import type { OriginCrossing } from './handoff-diff.ts'

/**
 * Who the sender's runtime knew to have started the task, against what the receiver got. A sender that named no principal
 * (nor was given one) cannot lose it: then only a different one at the receiver counts.
 */
export function diffOrigin(
  run: Run,
  handoff: Handoff,
  sent: Sent | undefined,
  receipt: Receipt,
): OriginCrossing {
  const named = sent === undefined ? undefined : statedBy(sent)[0]
  const given = sent === undefined ? undefined : givenTo(run, handoff, sent)
  const known = complete(named ?? given, run.principal)
  const stated = statedBy(receipt)
  const received = stated.find((principal) => differs(known, principal)) ?? stated[0]
  const mustCross = (named ?? given) !== undefined && !knowsAlready(run, handoff, receipt)
  return {
    verdict: verdictOf(mustCross, known, received),
    sent: known,
    received,
    escalations: findEscalations(run, handoff, sent, receipt),
  }
}

/** Every place where a side of a handoff names the principal. */
function statedBy({ event, record }: Sent | Receipt): Principal[] {
  return [event.principal, event.origin, record?.raw.origin, record?.raw.principal].flatMap(
    (value) => readPrincipal(value) ?? [],
  )
}

/** What an earlier handoff told the sender. */
function givenTo(run: Run, handoff: Handoff, sent: Sent): Principal | undefined {
  const earlier = latestReceipt(run, handoff.from, sent.step)
  return earlier === undefined ? undefined : statedBy(earlier.receipt)[0]
}

/** Whoever gave the task away knows for whom it is done; a report back need not say it. */
function knowsAlready(run: Run, handoff: Handoff, receipt: Receipt): boolean {
  const back = handoff.mode === 'return' || handoff.mode === 'notify'
  return back && tookPartBefore(run, receipt.by, receipt.step)
}

/** The sender may name the id alone; kind and id that it leaves out are the run's, if they are about the same one. */
function complete(explicit: Principal | undefined, run: Principal | undefined): Principal | undefined {
  if (explicit === undefined) return run
  const same =
    run !== undefined && (explicit.id === undefined || run.id === undefined || explicit.id === run.id)
  return same ? { id: explicit.id ?? run.id, kind: explicit.kind ?? run.kind } : explicit
}

function verdictOf(
  mustCross: boolean,
  known: Principal | undefined,
  received: Principal | undefined,
): OriginCrossing['verdict'] {
  if (known === undefined) return 'not judged'
  if (received === undefined) return mustCross ? 'absent' : 'not judged'
  if (!differs(known, received)) return 'same'
  return outranks(received.kind, known.kind) ? 'escalated' : 'changed'
}

function differs(known: Principal | undefined, received: Principal): boolean {
  if (known === undefined) return false
  const otherKind = known.kind !== undefined && received.kind !== undefined && known.kind !== received.kind
  const otherId = known.id !== undefined && received.id !== undefined && known.id !== received.id
  return otherKind || otherId
}
