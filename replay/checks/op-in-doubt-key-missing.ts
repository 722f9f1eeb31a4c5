import type { Check, CheckInput } from '../check.ts'
import type { HandoffDiff, OperationCrossing } from '../diff/handoff-diff.ts'
import { dispatchedWrites, sameEffect } from '../effects.ts'
import type { Draft } from '../finding.ts'
import { latest, valueAt } from '../history.ts'
import { aboutHandoff, bothSides, nameOf, quote, receiverOf, senderEntry } from '../phrase.ts'
import type { Handoff } from '../run.ts'

const REMEDY = 'Put the key into the record: open_operations [{op, tool, args, key, state}].'

export const opInDoubtKeyMissing: Check = {
  id: 'op-in-doubt-key-missing',
  severity: 'error',
  title: 'A write in doubt left its key behind',
  question: 'Can the receiver settle what the sender dispatched and never heard of again?',
  definition:
    'Raised for each write that was sent or unknown when a handoff was sent, if its key is not in the record that the ' +
    'receiver got; the message says how far it did cross (key in words, described, mentioned, absent, or no key at all). ' +
    'Also raised when a handoff or a call that ended unknown is started again without that key. Needs both sides of the ' +
    'handoff; a handoff that nobody received is left to handoff-dropped.',
  check(input) {
    return {
      findings: [...input.diffs.flatMap(lostKeys), ...repeatedHandoffs(input), ...repeatedCalls(input)],
      notJudged: input.diffs
        .filter((diff) => !diff.complete && diff.receipt !== undefined)
        .map((diff) => ({ handoff: diff.handoff.id, reason: 'the sender of the handoff is not in the log' })),
    }
  },
}

function lostKeys(diff: HandoffDiff): Draft[] {
  return diff.operations
    .filter(({ inDoubt, degree }) => inDoubt && degree !== 'carried' && degree !== 'altered')
    .map((crossing) => ({
      ...aboutHandoff(diff.handoff),
      subject: { kind: 'operation', id: crossing.operation.op },
      message: lostKeyMessage(diff, crossing),
      evidence: [senderEntry(crossing.operation, diff.sent!.step), ...crossing.evidence, ...bothSides(diff)],
      remedy:
        crossing.version.key === undefined
          ? `Send the call under an idempotency key first. ${REMEDY}`
          : REMEDY,
      trait: crossing.operation.tool,
    }))
}

function lostKeyMessage(diff: HandoffDiff, crossing: OperationCrossing): string {
  const { operation, version, timings } = crossing
  const left =
    version.key === undefined
      ? `${nameOf(operation)} left without a key and was never answered.`
      : `${nameOf(operation)} left with key ${version.key} and was never answered.`
  const receiver = receiverOf(diff.handoff)
  const record = diff.receipt!.record === undefined ? 'got no record' : 'got a record without the key'
  return `${left} ${receiver} ${record}; ${crossingWords(crossing)} ${timingWords(timings)}`
}

function crossingWords({ degree, matched, evidence }: OperationCrossing): string {
  const place = evidence[0]?.path ?? 'the words'
  switch (degree) {
    case 'key in words':
      return `the key stands only in the words (${place}).`
    case 'described':
      return `${place} describes the call, without the key.`
    case 'mentioned':
      return `its words only say ${quote(matched ?? '')} (${place}: mentioned, a guess).`
    default:
      return 'nothing it got hints at the call.'
  }
}

function timingWords(timings: OperationCrossing['timings']): string {
  if (timings === undefined) return ''
  return `If it landed: ${timings.landed}. If it is still travelling: ${timings.delayed}.`
}

/** A handoff that ended unknown and was started again under another id, without a key that the service could know. */
function repeatedHandoffs({ run }: CheckInput): Draft[] {
  return run.handoffs.flatMap((handoff) => {
    if (handoff.failed?.event.outcome !== 'unknown') return []
    const again = run.handoffs.find((other) => restarts(other, handoff))
    if (again?.sent === undefined) return []
    return [
      {
        ...aboutHandoff(again),
        subject: { kind: 'handoff', id: handoff.id },
        message:
          `Handoff ${handoff.id} to ${receiverOf(handoff)} ended unknown, and the same task was handed over again as ` +
          `${again.id} without anything that names the first one. If the first arrived, the task is done twice.`,
        evidence: [{ step: handoff.failed.step }, { step: again.sent.step, side: 'sender' as const }],
        remedy: `Send it again under the same handoff id with a higher attempt, or carry the key of the first request.`,
        trait: 'handoff',
      },
    ]
  })
}

function restarts(other: Handoff, first: Handoff): boolean {
  if (other.sent === undefined || other.sent.step <= first.failed!.step || other.id === first.id) return false
  const brief = (handoff: Handoff) => JSON.stringify(handoff.sent?.event.brief ?? handoff.reason ?? null)
  if (other.from !== first.from || other.to !== first.to || brief(other) !== brief(first)) return false
  const names = (other.sent.record?.openOperations ?? []).some(
    (entry) => entry.key === first.id || entry.op === first.id,
  )
  return !names && other.sent.event.retry_of !== first.id
}

/** A call with a key that ended unknown and was started again with none. */
function repeatedCalls({ run }: CheckInput): Draft[] {
  const writes = dispatchedWrites(run)
  return writes.flatMap(({ operation, step }) => {
    if (operation.key !== undefined) return []
    const first = writes.find(
      (earlier) =>
        earlier.step < step &&
        earlier.operation.key !== undefined &&
        sameEffect(earlier.operation, operation) &&
        valueAt(earlier.operation, step)?.state === 'unknown',
    )
    if (first === undefined) return []
    return [
      {
        agents: [latest(first.operation).agent, operation.agent].filter((agent) => agent !== undefined),
        subject: { kind: 'operation', id: operation.op },
        message:
          `${nameOf(first.operation)} ended unknown under key ${first.operation.key}, and ${nameOf(operation)} started the ` +
          'same call again without that key. If the first landed, the effect is made twice.',
        evidence: [{ step: first.step }, { step }],
        remedy: `Repeat the call under ${first.operation.key}, or close that key first.`,
        trait: operation.tool,
      },
    ]
  })
}
