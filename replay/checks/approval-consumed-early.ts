import type { Check } from '../check.ts'
import { doesMatter, isSameRequest, type Matter, matterOf, operationsOf } from '../facts/approval-matter.ts'
import type { Draft } from '../finding.ts'
import { latest } from '../history.ts'
import { nameOf } from '../phrase.ts'
import type { Approval, Operation, Run, Step } from '../run.ts'

export const approvalConsumedEarly: Check = {
  id: 'approval-consumed-early',
  severity: 'error',
  title: 'A yes was used up although the step failed',
  question: 'Is a yes only spent on what really happened?',
  definition:
    'Raised when an approval is consumed, the operation it was for failed (or the resumed run failed or ended before it), nothing of it ' +
    'succeeded later, and it is not asked again.',
  check({ run }) {
    return { findings: [...run.approvals.values()].flatMap((approval) => consumedEarly(run, approval)) }
  },
}

type Failure = { step: Step; words: string; path?: string }

function consumedEarly(run: Run, approval: Approval): Draft[] {
  const consumed = approval.versions.find(({ value }) => value.state === 'consumed')
  if (consumed === undefined) return []
  const matter = matterOf(run, approval, consumed.value)
  const operations = operationsOf(run, approval, matter)
  const given = approval.versions.find(({ value }) => value.state === 'approved')?.step ?? consumed.step
  if (operations.some((operation) => mayHaveHappened(operation, given))) return []
  const failure =
    failureOf(operations, given) ?? interruption(run, approval, given) ?? neverRan(run, operations)
  if (failure === undefined || askedAgain(run, approval, matter, consumed.step, failure.step)) return []
  const action = consumed.value.action ?? operations[0]?.tool ?? 'The action'
  return [
    {
      agents: [consumed.value.agent].filter((agent) => agent !== undefined),
      subject: { kind: 'approval', id: approval.id },
      message:
        `${action} was approved (${approval.id}) and the yes counts as used, but ${failure.words}. ` +
        'It is not asked again: a retry has no approval, and the person believes it done.',
      evidence: [
        { step: consumed.step, path: `approval ${approval.id}` },
        { step: failure.step, ...(failure.path === undefined ? {} : { path: failure.path }) },
      ],
      remedy:
        'Consume an approval together with the settlement of its operation. When the step fails, keep it or ask again.',
      trait: action,
    },
  ]
}

/** Settled, or on its way with nobody knowing: then the yes is rightly spent. */
function mayHaveHappened(operation: Operation, given: Step): boolean {
  return (
    operation.versions.at(-1)!.step > given &&
    ['settled', 'sent', 'unknown'].includes(latest(operation).state)
  )
}

function failureOf(operations: readonly Operation[], given: Step): Failure | undefined {
  for (const operation of operations) {
    const failed = operation.versions.findLast(({ step, value }) => step > given && value.state === 'failed')
    if (failed !== undefined)
      return { step: failed.step, words: `${nameOf(operation)} failed`, path: `operation ${operation.op}` }
  }
  return undefined
}

/** The run is over and the call still waits. */
function neverRan(run: Run, operations: readonly Operation[]): Failure | undefined {
  const [first] = operations
  if (!run.ended || first === undefined || !operations.every((one) => latest(one).state === 'proposed'))
    return undefined
  return {
    step: run.events.length - 1,
    words: `${nameOf(first)} had not run when the run ended`,
  }
}

/** The run that was to go on with the answer did not. */
function interruption(run: Run, approval: Approval, given: Step): Failure | undefined {
  const { agent } = latest(approval)
  for (const handoff of run.handoffs) {
    const { failed } = handoff
    const toWaiting = agent === undefined || handoff.to === agent
    if (failed !== undefined && failed.step > given && toWaiting)
      return {
        step: failed.step,
        words: `the ${handoff.mode} ${handoff.id} to ${handoff.to ?? 'the agent'} failed`,
      }
  }
  for (const [step, event] of run.events.entries()) {
    if (step <= given) continue
    if (event.kind === 'process.crash' || event.kind === 'run.failed' || event.kind === 'store.failed') {
      return {
        step,
        words:
          event.kind === 'run.failed'
            ? 'the run failed before it'
            : `${event.kind.replace('.', ' ')} came before it`,
      }
    }
  }
  return undefined
}

function askedAgain(run: Run, approval: Approval, matter: Matter, consumed: Step, failed: Step): boolean {
  const from = Math.min(consumed, failed)
  return [...run.approvals.values()].some((other) =>
    other.versions.some(
      ({ step, value }) =>
        step > from &&
        value.state !== 'consumed' &&
        (other === approval ||
          isSameRequest(matterOf(run, other, value), matter) ||
          isSameAction(other, matter, run)),
    ),
  )
}

/** A retry is another operation; its question is for the same action and arguments. */
function isSameAction(other: Approval, matter: Matter, run: Run): boolean {
  const asked = matterOf(run, other, latest(other))
  return asked.operation !== undefined && doesMatter(matter, asked.operation)
}
