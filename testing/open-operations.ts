import type { Check } from '../replay/check.ts'
import { opAltered } from '../replay/checks/op-altered.ts'
import { opInDoubtKeyMissing } from '../replay/checks/op-in-doubt-key-missing.ts'
import { opStateChanged } from '../replay/checks/op-state-changed.ts'
import type { HandoffDiff, OperationCrossing } from '../replay/diff/handoff-diff.ts'
import { writesToCarry } from '../replay/facts/writes-to-carry.ts'
import type { Draft } from '../replay/finding.ts'
import type { Run } from '../replay/run.ts'
import { json, type Row } from './failure.ts'

/**
 * A row for each write in doubt that the receiver has to be able to settle, good unless a check says otherwise: one of those
 * that lost its key, also where only the record told of it, or one in doubt that crossed altered. The checks are asked whatever
 * severity a project gives them.
 */
export function openOperationRows(run: Run, diff: HandoffDiff): Row[] {
  const missing = draftsOf(opInDoubtKeyMissing, run, diff)
  const drafts = [...missing, ...draftsOf(opAltered, run, diff), ...draftsOf(opStateChanged, run, diff)]
  const due = writesToCarry(run, diff)
  const open = diff.operations.filter(
    (crossing) => crossing.inDoubt && (due.includes(crossing) || drafts.some(isAbout(crossing))),
  )
  const onlyRecorded = missing.filter((draft) => !open.some((crossing) => isAbout(crossing)(draft)))
  return [
    ...open.map((crossing) => rowOf(crossing, !drafts.some(isAbout(crossing)))),
    ...onlyRecorded.map(({ subject, message }) => ({
      good: false,
      subject: subject.id,
      sender: 'open in the record',
      crossed: message,
    })),
  ]
}

/** What a check says of the operations of this attempt. */
function draftsOf(check: Check, run: Run, diff: HandoffDiff): Draft[] {
  const { id, attempt } = diff.handoff
  return check
    .check({ run, diffs: [diff], related: [] })
    .findings.filter(
      (draft) => draft.handoff === id && draft.attempt === attempt && draft.subject.kind === 'operation',
    )
}

function isAbout({ operation, version }: OperationCrossing): (draft: Draft) => boolean {
  return ({ subject }) => subject.id === operation.op || subject.id === version.key
}

function rowOf({ operation, version, degree, differences, matched }: OperationCrossing, good: boolean): Row {
  return {
    good,
    subject: `${operation.op} ${operation.tool}`,
    sender: `${version.state}, ${version.key === undefined ? 'no key' : `key ${version.key}`}`,
    crossed: [
      degree,
      ...differences.map(({ field, sent, received }) => `${field}: ${json(sent)} → ${json(received)}`),
      ...(matched === undefined ? [] : [json(matched)]),
    ].join('  '),
  }
}
