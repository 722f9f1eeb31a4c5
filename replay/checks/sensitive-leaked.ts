import { jsonString } from '../../model/json-text.ts'
import type { Check } from '../check.ts'
import type { HandoffDiff, Leak } from '../diff/handoff-diff.ts'
import { isPlumbing } from '../facts/plumbing.ts'
import { type Policy, readPolicy } from '../facts/policy.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, bothSides, receiverOf, senderEntry } from '../phrase.ts'
import type { Operation, Run } from '../run.ts'
import { containsValue, readableText } from '../text.ts'

export const sensitiveLeaked: Check = {
  id: 'sensitive-leaked',
  severity: 'error',
  title: 'A value marked sensitive crossed',
  question: 'Did a value that must not travel on get past the filter?',
  definition:
    'Raised for a value that an operation or an item marks as sensitive, or that a configured detector finds, if the receiver got it although the policy of the ' +
    'handoff removes tools, restricts the history or redacts, or although the item that held it was dropped: it then ' +
    'survives in a summary, an answer, an argument or the instructions. The record counts only where the policy redacts. ' +
    'Not raised for the agent that ran the operation itself, nor for a whole history that crossed with no policy at all. ' +
    'The value itself is not repeated in the finding.',
  judgesByWords: true,
  check({ run, diffs }) {
    return {
      findings: diffs.flatMap((diff) => leaksOf(run, diff)),
      notJudged: diffs
        .filter((diff) => isOpenQuestion(run, diff))
        .map(({ handoff }) => ({
          handoff: handoff.id,
          reason: "a sensitive value crossed; neither the sender's items nor a policy are in the log",
        })),
    }
  },
}

function leaksOf(run: Run, diff: HandoffDiff): Draft[] {
  const { sent } = diff
  if (sent === undefined) return []
  const policy = readPolicy(sent.event.policy, sent.items ?? [])
  const bySource = new Map<string, Leak[]>()
  for (const leak of foreignLeaks(run, diff)) {
    if (whyLeaked(leak, diff, policy) === undefined) continue
    const leaks = bySource.get(leak.from)
    if (leaks === undefined) bySource.set(leak.from, [leak])
    else leaks.push(leak)
  }
  return [...bySource].map(([from, leaks]) => leakDraft(run, diff, policy, from, leaks))
}

/** Sensitive values at a receiver that did not produce them itself. */
function foreignLeaks(run: Run, { items, receipt, handoff }: HandoffDiff): Leak[] {
  const sensitive = items.leaks.filter((leak) => leak.sensitive)
  if (receipt === undefined || sensitive.length === 0) return []
  return sensitive.filter(({ from }) => {
    const owner = operationOf(run, from)?.agent
    return owner === undefined ? handoff.from !== receipt.by : owner !== receipt.by
  })
}

/** Why the value should not be where it is; undefined if the sender passed it on openly. */
function whyLeaked(leak: Leak, diff: HandoffDiff, policy: Policy): string | undefined {
  if (policy.redacts) return 'the policy redacts'
  if (leak.path.startsWith('record')) return undefined
  if (policy.removesTools) return `the policy says ${policy.words.join(', ')}`
  if (diff.sent?.items === undefined) return undefined
  const holders = diff.sent.items.filter((item) =>
    containsValue(`${readableText(item)} ${jsonString(item.raw)}`, leak.text),
  )
  for (const item of holders) {
    const word = policy.excludes(item)
    if (word !== undefined) return `the policy says ${word}`
  }
  const isOpen = diff.items.fates.some(
    ({ after, before: source }) =>
      after?.path === leak.path && source !== undefined && holders.includes(source),
  )
  const dropped = diff.items.fates.some(
    ({ fate, before: source }) =>
      (fate === 'dropped' || fate === 'folded') && source !== undefined && holders.includes(source),
  )
  if (dropped) return 'the item that held it did not cross'
  return isOpen || standsInOwnResult(leak, diff) ? undefined : "it stands in none of the sender's own items"
}

function standsInOwnResult(leak: Leak, { receipt }: HandoffDiff): boolean {
  const item = receipt?.items?.find(({ path }) => path === leak.path)
  return item !== undefined && isPlumbing(item) && item.op === leak.from
}

function leakDraft(run: Run, diff: HandoffDiff, policy: Policy, from: string, leaks: Leak[]): Draft {
  const operation = operationOf(run, from)
  const paths = [...new Set(leaks.map(({ path }) => path))]
  const source = operation === undefined ? from : `${operation.tool} (${operation.op})`
  return {
    ...aboutHandoff(diff.handoff),
    subject: { kind: operation === undefined ? 'item' : 'operation', id: from },
    message:
      `${describeValue(source, leaks[0]!)} reached ${receiverOf(diff.handoff)}: it stands in ${paths.join(', ')}, ` +
      `although ${whyLeaked(leaks[0]!, diff, policy)}. Whatever the receiver writes or sends on may now hold it.`,
    evidence: [
      ...(operation === undefined ? [] : [senderEntry(operation, diff.sent!.step)]),
      ...paths.map((path) => ({ step: diff.receipt!.step, path, side: 'receiver' as const })),
      ...bothSides(diff).slice(0, 1),
    ],
    remedy:
      'Remove the value, not only the items of one type: redact it in every item, in the instructions and in the record.',
    trait: operation?.tool ?? 'item',
  }
}

function describeValue(source: string, { detector, from }: Leak): string {
  if (detector === undefined) return `A value that ${source} marks as sensitive`
  const holder = from === `detector ${detector}` ? '' : ` in ${source}`
  return `A value that the detector ${detector} finds${holder}`
}

function isOpenQuestion(run: Run, diff: HandoffDiff): boolean {
  if (diff.receipt === undefined || diff.sent?.items !== undefined) return false
  const policy = readPolicy(diff.sent?.event.policy, [])
  return !policy.redacts && !policy.removesTools && foreignLeaks(run, diff).length > 0
}

function operationOf(run: Run, from: string): Operation | undefined {
  return run.operations.get(from)
}
