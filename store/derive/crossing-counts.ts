import type { Degree, HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import { writesToCarry } from '../../replay/facts/writes-to-carry.ts'
import type { Run } from '../../replay/run.ts'
import { firstBytes } from '../hash64.ts'
import type { Row, RowInParts } from '../table.ts'

/** How many of each thing crossed, and how: what the crossings of one handoff say, counted once. */
export function crossingCounts(run: Run, diff: HandoffDiff): RowInParts {
  return [openOperations(run, diff), constraints(diff), approvals(diff), authority(diff), leaks(diff)]
}

function openOperations(run: Run, diff: HandoffDiff): Row {
  const open = writesToCarry(run, diff)
  const of = (degree: Degree) => open.filter((crossing) => crossing.degree === degree)
  const keys = (crossings: typeof open) => crossings.flatMap(({ version }) => version.key ?? [])
  return {
    in_doubt: open.length,
    carried: of('carried').length,
    altered: of('altered').length,
    key_in_words: of('key in words').length,
    described: of('described').length,
    mentioned: of('mentioned').length,
    absent: of('absent').length,
    open_keys: keys(open),
    carried_keys: keys(of('carried')),
  }
}

function constraints({ constraints }: HandoffDiff): Row {
  // A rule that the sender did not have could not cross.
  const known = constraints.filter(({ attribution }) => attribution !== 'not in state')
  const of = (degree: string) => known.filter((crossing) => crossing.degree === degree)
  const hashes = (crossings: typeof known) =>
    crossings.flatMap(({ constraint }) => firstBytes(constraint.hash) ?? [])
  return {
    constraint_hashes_sent: hashes(known),
    constraint_hashes_received: hashes(of('same')),
    constraints_reworded: of('reworded').length,
    constraints_in_words: of('in words only').length,
    constraints_absent: of('absent').length,
    constraints_not_followed: known.filter(({ attribution }) => attribution === 'carried, not followed')
      .length,
    constraints_not_in_state: constraints.length - known.length,
  }
}

function approvals({ approvals }: HandoffDiff): Row {
  const pending = approvals.filter(
    ({ version, holder }) => version.state === 'pending' && holder === 'sender',
  )
  return {
    approvals_pending: pending.length,
    approvals_same: pending.filter(({ verdict }) => verdict === 'same').length,
  }
}

function authority({ permissions }: HandoffDiff): Row {
  return { permissions_gained: permissions.gained.length, permissions_lost: permissions.lost.length }
}

function leaks({ items }: HandoffDiff): Row {
  const sensitive = items.leaks.filter((leak) => leak.sensitive).length
  return { leaks_sensitive: sensitive, leaks_dropped_results: items.leaks.length - sensitive }
}
