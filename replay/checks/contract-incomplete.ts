import type { Check, CheckInput } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { answeredFields } from '../facts/contract-answers.ts'
import { sharedEffects } from '../facts/shared-effects.ts'
import type { Draft } from '../finding.ts'
import { firstStep, valueAt } from '../history.ts'
import { aboutHandoff, bothSides, listed, nameOf, receiverOf } from '../phrase.ts'
import type { Operation, Run } from '../run.ts'

export const contractIncomplete: Check = {
  id: 'contract-incomplete',
  severity: 'info',
  title: 'The contract of the task has gaps',
  question: 'Does the receiver know what is wanted, what is done and when to stop?',
  definition:
    'Raised when a record was meant to hold the contract of the task (either side has one of intent, status, evidence, next ' +
    'action, stop condition) and what the receiver got lacks one of these or the constraints. An empty list is an answer, an ' +
    'empty text is none. A warning when the receiver then repeats a call that was settled before. A report back and a notice ' +
    'give no task.',
  check(input) {
    return { findings: input.diffs.flatMap((diff) => gaps(input, diff)) }
  },
}

function gaps({ run }: CheckInput, diff: HandoffDiff): Draft[] {
  const { handoff, contract } = diff
  if (!diff.complete || handoff.mode === 'return' || handoff.mode === 'notify') return []
  if (
    !contract.some(
      (field) => field.field !== 'constraints' && (field.sent === 'present' || field.received === 'present'),
    )
  )
    return []
  const answered = new Set(answeredFields(diff))
  const missing = contract.filter(({ field }) => !answered.has(field))
  if (missing.length === 0) return []
  const names = missing.map(({ field }) => field.replaceAll('_', ' '))
  const lost = missing.filter(({ sent }) => sent === 'present').map(({ field }) => field.replaceAll('_', ' '))
  const redone = redoneBy(run, diff)
  return [
    {
      ...aboutHandoff(handoff),
      ...(redone === undefined ? {} : { severity: 'warning' as const }),
      subject: { kind: 'record', id: 'contract' },
      message:
        `The record that ${receiverOf(handoff)} got lacks ${listed(names, 6)}` +
        `${lost.length === 0 ? '' : `; the sender had ${listed(lost, 6)}`}. ` +
        (redone === undefined
          ? 'What is not written there it has to guess.'
          : `It then did ${nameOf(redone)} again, which was settled before.`),
      evidence: [
        ...bothSides(diff).map((entry) => ({ ...entry, path: 'record' })),
        ...(redone === undefined ? [] : [{ step: firstStep(redone), path: `operation ${redone.op}` }]),
      ],
      remedy: `Fill ${listed(
        missing.map(({ field }) => field),
        6,
      )} of the record; an empty list says that there is nothing.`,
      trait: names.join(' '),
    },
  ]
}

/** A call of the receiver's that does what the sender had settled. */
function redoneBy(run: Run, { handoff, sent, receipt }: HandoffDiff): Operation | undefined {
  for (const group of sharedEffects(run).values()) {
    const again = group.find(
      (operation) => operation.agent === receipt!.by && firstStep(operation) > receipt!.step,
    )
    const before = group.some(
      (operation) =>
        (operation.agent === undefined || operation.agent === handoff.from) &&
        valueAt(operation, sent!.step)?.state === 'settled',
    )
    if (again !== undefined && before) return again
  }
  return undefined
}
