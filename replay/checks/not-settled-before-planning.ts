import type { Check, CheckInput } from '../check.ts'
import type { HandoffDiff, Settling } from '../diff/handoff-diff.ts'
import { firstPlanning } from '../diff/settling.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, bothSides, nameOf, receiverOf } from '../phrase.ts'

export const notSettledBeforePlanning: Check = {
  id: 'not-settled-before-planning',
  severity: 'warning',
  title: 'The receiver went to work before it settled what was in doubt',
  question: 'Is each carried operation settled before anything new is planned?',
  definition:
    'Raised for each operation that crossed in doubt with its key, if the receiver spoke, asked its model again or wrote before ' +
    'that operation was closed, looked up by its key or awaited. A call that uses the key is part of settling. An error if ' +
    'what came first is a write. Silent as long as the receiver has done nothing.',
  check({ run, diffs }) {
    return {
      findings: diffs.flatMap((diff) =>
        diff.settling.flatMap((settling) => draft(run, diff, settling) ?? []),
      ),
    }
  },
}

function draft(
  run: CheckInput['run'],
  diff: HandoffDiff,
  { operation, order, step }: Settling,
): Draft | undefined {
  const planned = firstPlanning(run, diff.receipt!, operation.key)
  if (planned === undefined || (step !== undefined && step <= planned)) return undefined
  const receiver = receiverOf(diff.handoff)
  const act = run.events[planned]!
  if (act.kind !== 'operation' && passesOn(run, diff, operation.key)) return undefined
  const did = act.kind === 'message' ? 'spoke' : act.kind === 'model.input' ? 'asked its model' : 'wrote'
  const later =
    order === 'not settled' ? 'It was never settled in this log.' : 'It was settled only afterwards.'
  return {
    ...aboutHandoff(diff.handoff),
    ...(did === 'wrote' ? { severity: 'error' as const } : {}),
    subject: { kind: 'operation', id: operation.op },
    message:
      `${nameOf(operation)} crossed in doubt under ${operation.key}, and ${receiver} ${did} before it was settled. ${later} ` +
      'What is planned on an unknown outcome may be done twice, or rest on something that never happened.',
    evidence: [...bothSides(diff), { step: planned }, ...(step === undefined ? [] : [{ step }])],
    remedy: `Settle it first: close ${operation.key}, look it up by that key, or wait for its answer.`,
    trait: operation.tool,
  }
}

/** A receiver that only routes may speak: it hands the open operation on. */
function passesOn(
  { handoffs }: CheckInput['run'],
  { receipt }: HandoffDiff,
  key: string | undefined,
): boolean {
  return handoffs.some(
    ({ from, sent, receipts }) =>
      from === receipt!.by &&
      sent !== undefined &&
      sent.step > receipt!.step &&
      [sent.record, receipts[0]?.record].some((record) =>
        record?.openOperations.some((entry) => entry.key === key),
      ),
  )
}
