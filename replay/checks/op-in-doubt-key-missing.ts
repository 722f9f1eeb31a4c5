import { canonicalJson } from '../../model/hash.ts'
import { textOf } from '../../model/json.ts'
import type { Check, CheckInput } from '../check.ts'
import type { HandoffDiff, OperationCrossing } from '../diff/handoff-diff.ts'
import { resultCrossed } from '../diff/results.ts'
import { groupBy } from '../facts/dispatches.ts'
import { openOnlyInRecord } from '../facts/open-in-record.ts'
import { receivedBefore } from '../facts/participation.ts'
import { findRepeats } from '../facts/repeats.ts'
import { stepsOf } from '../facts/steps-by-kind.ts'
import { taskOf } from '../facts/task-of.ts'
import { isHandedOver, writesToCarry } from '../facts/writes-to-carry.ts'
import type { Draft } from '../finding.ts'
import { isSettledState, valueAt } from '../history.ts'
import { aboutHandoff, bothSides, nameOf, quote, receiverOf, senderEntry } from '../phrase.ts'
import type { Handoff, Run, Step } from '../run.ts'
import { findValue, payloadTexts } from '../text.ts'

const REMEDY = 'Put the key into the record: open_operations [{op, tool, args, key, state}].'

export const opInDoubtKeyMissing: Check = {
  id: 'op-in-doubt-key-missing',
  severity: 'error',
  title: 'A write in doubt left its key behind',
  question: 'Can the receiver settle what the sender dispatched and never heard of again?',
  definition:
    "Raised for each write that was sent or unknown when a handoff was sent, by the log or by the sender's record alone, if " +
    'its key is not in the record that the receiver got; the message says how far it did cross (key in words, described, ' +
    'mentioned, absent, or no key at all). ' +
    'Also raised when a handoff or a call that ended unknown is started again without that key. Needs both sides of the ' +
    'handoff; a handoff that nobody received is left to handoff-dropped, a call of the agent that gets a return is its own, ' +
    'and a notice hands over no work unless its receiver then calls the same tool.',
  check(input) {
    return {
      findings: [
        ...input.diffs.flatMap((diff) => [...lostKeys(input.run, diff), ...lostEntries(input.run, diff)]),
        ...repeatedHandoffs(input),
        ...repeatedCalls(input),
      ],
      notJudged: input.diffs
        .filter((diff) => !diff.complete && diff.receipt !== undefined)
        .map((diff) => ({ handoff: diff.handoff.id, reason: 'the sender of the handoff is not in the log' })),
    }
  },
}

function lostKeys(run: Run, diff: HandoffDiff): Draft[] {
  return writesToCarry(run, diff)
    .filter(({ degree }) => degree !== 'carried' && degree !== 'altered')
    .filter((crossing) => !isElsewhereInRecord(crossing, diff) && !staysWithSender(crossing, diff))
    .filter((crossing) => !isKnownAlready(run, crossing, diff))
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

/** Entries of the sender's record that no call in the log stands for: what it said was open is open to nobody now. */
function lostEntries(run: Run, diff: HandoffDiff): Draft[] {
  const { sent, receipt, handoff } = diff
  if (receipt === undefined) return []
  return openOnlyInRecord(run, diff).flatMap(({ op, tool, key, path }) => {
    if (!isHandedOver(run, diff, tool)) return []
    const name = key ?? op!
    if (holdsValue(receipt.record?.raw, name)) return []
    const earlier = receivedBefore(run, receipt.by ?? '', receipt.step)
    if (earlier.some((before) => holdsValue(before.receipt.record?.raw, name))) return []
    const words = findValue(payloadTexts(receipt), name)
    const call = `${tool ?? 'a call'} (${op ?? name})`
    return {
      ...aboutHandoff(handoff),
      subject: { kind: 'operation', id: op ?? name },
      message:
        `The record of ${handoff.from ?? 'the sender'} holds ${call} as open${key === undefined ? '' : ` under ${key}`}, and ` +
        `the record that ${receiverOf(handoff)} got does not; ` +
        `${words === undefined ? 'nothing else names it either' : `it stands only in the words (${words.path})`}. ` +
        'Nobody settles it now: its effect may be made again, or never be noticed.',
      evidence: [{ step: sent!.step, path, side: 'sender' }, ...bothSides(diff).slice(1)],
      remedy: REMEDY,
      trait: tool ?? 'record',
    }
  })
}

/** A record may keep the key in a field of its own; a value that is the key and nothing else is for the runtime. */
function isElsewhereInRecord({ version }: OperationCrossing, { receipt }: HandoffDiff): boolean {
  return version.key !== undefined && holdsValue(receipt?.record?.raw, version.key)
}

/** A report or a notice goes to an agent that is at work, and that may have been given the key before. */
function isKnownAlready(
  run: Run,
  { version }: OperationCrossing,
  { handoff, receipt }: HandoffDiff,
): boolean {
  if (handoff.mode !== 'return' && handoff.mode !== 'notify') return false
  if (version.key === undefined || receipt?.by === undefined) return false
  return receivedBefore(run, receipt.by, receipt.step).some((earlier) =>
    earlier.receipt.record?.openOperations.some(({ key }) => key === version.key),
  )
}

function holdsValue(value: unknown, wanted: string): boolean {
  if (value === wanted) return true
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((inner) => holdsValue(inner, wanted))
  )
}

/**
 * A request that was merely on its way, and whose answer then came to the sender. Where the sender goes on working (it
 * only delegates) that is how parallel calls look; in any mode, if it came before the receiver began and its result
 * crossed.
 */
function staysWithSender(
  { operation, version }: OperationCrossing,
  { handoff, receipt }: HandoffDiff,
): boolean {
  if (version.state !== 'sent' || receipt === undefined) return false
  const answer = operation.versions.find(
    ({ step, value }) => step > handoff.sent!.step && isSettledState(value.state),
  )
  if (answer === undefined || answer.value.by === 'details') return false
  if (answer.step < receipt.step && resultCrossed({ operation, recorded: false }, receipt)) return true
  return (
    handoff.mode === 'delegate' &&
    answer.value.agent === version.agent &&
    answer.value.event.agent !== receipt.by
  )
}

function lostKeyMessage(diff: HandoffDiff, crossing: OperationCrossing): string {
  const { operation, version, timings } = crossing
  const left =
    version.key === undefined
      ? `${nameOf(operation)} left without a key and was never answered.`
      : `${nameOf(operation)} left with key ${version.key} and was never answered.`
  const receiver = receiverOf(diff.handoff)
  const without =
    version.key === undefined ? 'a record in which it cannot be recognised' : 'a record without the key'
  const record = `got ${diff.receipt!.record === undefined ? 'no record' : without}`
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

/** A handoff that ended unknown and was started again under another id, with nothing by which the first is recognised. */
function repeatedHandoffs({ run }: CheckInput): Draft[] {
  const crashes = stepsOf(run, 'process.crash')
  return [...groupBy(run.handoffs, taskName).values()].flatMap((group) =>
    group.flatMap((handoff, index) => {
      const again = group.slice(index + 1).find(({ sent }) => sent !== undefined)
      const ended = again === undefined ? undefined : endedUnknown(handoff, again, crashes)
      if (again === undefined || ended === undefined || again.id === handoff.id) return []
      if (namesFirst(run, handoff, again)) return []
      return [
        {
          ...aboutHandoff(again),
          subject: { kind: 'handoff', id: handoff.id },
          message:
            `Handoff ${handoff.id} to ${receiverOf(handoff)} ended unknown, and the same task was handed over again as ` +
            `${again.id} without anything that names the first one. If the first arrived, the task is done twice.`,
          evidence: [{ step: ended }, { step: again.sent!.step, side: 'sender' as const }],
          remedy:
            'Send it again under the same handoff id with a higher attempt, or carry the key of the first request.',
          trait: 'handoff',
        },
      ]
    }),
  )
}

/** Two handoffs are about one task if sender, receiver and what they ask for are the same. */
function taskName(handoff: Handoff): string {
  const { id, from, to, reason, sent } = handoff
  const about = sent?.event.brief ?? reason ?? taskOf(handoff).text
  return sent === undefined || about === ''
    ? canonicalJson([id])
    : canonicalJson([from ?? null, to ?? null, about])
}

const NO_OUTCOME = /unknown|time(d)?[\s_-]?out|no[\s_-]?(reply|answer|response)|lost/iu

/** The step at which it was over and nobody knew whether it had arrived: a failure without an answer, or a crash. */
function endedUnknown(handoff: Handoff, again: Handoff, crashes: readonly Step[]): Step | undefined {
  const { sent, failed, receipts } = handoff
  const next = again.sent!.step
  if (failed !== undefined) {
    return failed.step < next && NO_OUTCOME.test(failed.event.outcome ?? '') ? failed.step : undefined
  }
  if (sent === undefined || receipts.length > 0 || handoff.declined !== undefined) return undefined
  return crashes.find((step) => step > sent.step && step < next)
}

/** True if the repeat says what it repeats: the first handoff, its key, or the open request that it stood for. */
function namesFirst(run: Run, first: Handoff, again: Handoff): boolean {
  if (again.sent!.event.retry_of === first.id) return true
  const keyOf = ({ sent }: Handoff) => textOf(sent?.event.key) ?? textOf(sent?.event.idempotency_key)
  if (keyOf(first) !== undefined && keyOf(first) === keyOf(again)) return true
  const names = new Set([first.id, ...(first.sent?.record?.openOperations ?? []).map(({ key }) => key)])
  const step = first.sent?.step ?? first.failed?.step ?? 0
  for (const operation of run.operations.values()) {
    const version = valueAt(operation, step)
    if (version?.key === undefined || version.agent !== first.from || isSettledState(version.state)) continue
    names.add(version.key)
  }
  return (again.sent!.record?.openOperations ?? []).some(({ key, op }) => names.has(key) || op === first.id)
}

/** A call with a key that ended unknown and was started again with none. */
function repeatedCalls({ run }: CheckInput): Draft[] {
  return findRepeats(run)
    .filter(({ first, again, inDoubt }) => inDoubt && first.key !== undefined && again.key === undefined)
    .map(({ first, again }) => ({
      agents: [...new Set([first.agent, again.agent])].filter((agent) => agent !== undefined),
      subject: { kind: 'operation', id: again.operation.op },
      message:
        `Nobody knew the outcome of ${nameOf(first.operation)} under key ${first.key}, and ${nameOf(again.operation)} started ` +
        'the same call again without that key. If the first landed, the effect is made twice.',
      evidence: [{ step: first.step }, { step: again.step }],
      remedy: `Repeat the call under ${first.key}, or close that key first.`,
      trait: again.operation.tool,
    }))
}
