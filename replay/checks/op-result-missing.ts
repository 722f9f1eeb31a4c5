import type { Check } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import {
  indexOperations,
  type KnownResult,
  knownResults,
  type OperationIndex,
  resultCrossed,
} from '../diff/results.ts'
import { type Policy, readPolicy } from '../facts/policy.ts'
import { redundantCalls } from '../facts/redundant-calls.ts'
import { undeliveredResult } from '../facts/undelivered-result.ts'
import type { Draft } from '../finding.ts'
import { latest, valueAt } from '../history.ts'
import { aboutHandoff, bothSides, nameOf, quote, receiverOf } from '../phrase.ts'
import type { Operation, Receipt, Run, Sent } from '../run.ts'

export const opResultMissing: Check = {
  id: 'op-result-missing',
  severity: 'warning',
  title: 'A result that the sender had did not cross',
  question: 'Does the receiver know what has been done already?',
  definition:
    'Raised for each settled operation whose result the sender had among its items or in its record, or that settled before ' +
    'a resume, if the receiver has neither the result (as an item, in words, under a summary) nor an entry in ' +
    'completed_effects. Not raised where a declared policy removes it. A delegation or a return carries a brief or a report ' +
    "instead of the history, so there it is raised only if the call crossed without its result, if the sender's record had " +
    'the entry, or if the receiver makes the call again or got nothing of the report. An error for writes.',
  needsWholePayload: true,
  searchesWordsOf: 'agents',
  check({ run, diffs }) {
    const find = indexOperations(run)
    const repeated = new Set(
      redundantCalls({ run, diffs }).map(({ first, diff }) => `${diff.handoff.id} ${first.id}`),
    )
    const findings: Draft[] = []
    const notJudged: { handoff: string; reason: string }[] = []
    for (const diff of diffs) {
      const { sent, receipt } = diff
      if (sent === undefined || receipt === undefined) continue
      const held = knownResults(run, diff)
      const known = [...held.values(), ...settledBeforeResume(run, diff, sent, find, held)]
      const left = known.filter((result) => !resultCrossed(result, receipt))
      if (left.length === 0) continue
      const policy = readPolicy(sent.event.policy, sent.items ?? [])
      const undelivered = undeliveredResult(run, diff) !== undefined
      const missing = left.filter((result) => {
        const isRepeated = repeated.has(`${diff.handoff.id} ${result.operation.id}`)
        return isExpected(result, diff, policy, isRepeated || undelivered)
      })
      if (missing.length === 0) continue
      if (isForeignPolicy(sent)) {
        const reason = 'results did not cross, and the declared filter is not one whose effect is known'
        notJudged.push({ handoff: diff.handoff.id, reason })
      } else findings.push(...missing.map((known) => draft(diff, known)))
    }
    return { findings, notJudged }
  },
}

/** True if nothing that was declared, or that the mode stands for, keeps the result from the receiver. */
function isExpected(
  { operation, item, recorded }: KnownResult,
  { handoff, sent, receipt }: HandoffDiff,
  policy: Policy,
  missed: boolean,
): boolean {
  if (sent === undefined || receipt === undefined) return false
  if (receipt.items === undefined && receipt.record === undefined) return false
  if (policy.redacts && operation.sensitive.length > 0) return false
  if (item !== undefined && policy.excludes(item) !== undefined) return false
  if (recorded && receipt.record !== undefined) return true
  if (handoff.mode === 'notify') return false
  // Whoever made the call itself has its own history.
  if (operation.agent !== undefined && operation.agent === receipt.by && handoff.mode !== 'resume')
    return false
  if (missed || hasCall(operation, item?.call, receipt)) return true
  return handoff.mode !== 'delegate' && handoff.mode !== 'return' && sent.event.brief === undefined
}

function hasCall(operation: Operation, call: string | undefined, receipt: Receipt): boolean {
  const name = call ?? operation.call
  return (receipt.items ?? []).some(
    (item) =>
      item.type === 'tool_call' &&
      ((name !== undefined && item.call === name) || (item.op !== undefined && item.op === operation.op)),
  )
}

/** A policy of which no word is understood may remove anything. */
function isForeignPolicy(sent: Sent): boolean {
  const { policy } = sent.event
  if (policy?.filter === undefined && policy?.history === undefined) return false
  const words = [policy.filter, policy.history].filter((word) => word !== undefined)
  const keepsAll = words.every(
    (word) =>
      typeof word === 'string' && /^(full|all|none|everything|keep.?all|hide.?transfer.*)$/iu.test(word),
  )
  return !keepsAll && readPolicy(policy, sent.items ?? []).words.length === 0
}

/**
 * Work that was settled before a resume and that nothing restored to the sender's side: after a crash every call, else
 * writes that none of its items tell of.
 */
function settledBeforeResume(
  run: Run,
  diff: HandoffDiff,
  sent: Sent,
  find: OperationIndex,
  known: ReadonlyMap<Operation, KnownResult>,
): KnownResult[] {
  if (diff.handoff.mode !== 'resume') return []
  const results = (sent.items ?? []).filter((item) => item.type !== 'tool_call' && item.type !== 'approval')
  const inItems = new Set(results.map((item) => find(item, sent.step)))
  const since = lastReceiptBefore(run, sent)
  const crashed = run.events.slice(since + 1, sent.step).some(({ kind }) => kind === 'process.crash')
  return diff.operations
    .filter((crossing) => {
      const { operation, version } = crossing
      if (version.state !== 'settled' || inItems.has(operation) || known.has(operation)) return false
      const step = operation.versions.find(({ value }) => value.state === 'settled')!.step
      if (step <= since) return false
      if (crashed) return true
      if (operation.effect !== 'write' || operation.effectAssumed) return false
      return crossing.degree === 'absent' || crossing.degree === 'described'
    })
    .map(({ operation }) => ({
      operation,
      recorded: false,
      evidence: {
        step: operation.versions.findLast(({ step }) => step <= sent.step)!.step,
        side: 'sender',
        path: `operation ${operation.op}`,
      },
    }))
}

/** The step at which the agent that goes on last got a payload: what is older was restored or lost then. */
function lastReceiptBefore(run: Run, sent: Sent): number {
  let last = -1
  for (const { receipts } of run.handoffs) {
    for (const { step, by } of receipts) {
      if (step < sent.step && step > last && (by === sent.event.to || by === sent.event.from)) last = step
    }
  }
  return last
}

function draft(diff: HandoffDiff, { operation, item, evidence }: KnownResult): Draft {
  const { handoff, sent } = diff
  const told = item === undefined || item.text === '' ? '' : ` It was ${quote(item.text)}.`
  const write = operation.effect === 'write'
  const state = valueAt(operation, sent!.step) ?? latest(operation)
  return {
    ...aboutHandoff(handoff),
    severity: write ? 'error' : 'warning',
    subject: { kind: 'operation', id: operation.op },
    message:
      `${nameOf(operation)} was settled before the handoff, and ${receiverOf(handoff)} got neither its result nor a completed ` +
      `effect.${told} ${write ? 'It may carry the call out once more.' : 'It works without it, or asks again.'}`,
    evidence: [evidence, ...bothSides(diff)],
    remedy:
      state.key === undefined && !write
        ? 'Let the result cross with its call, or declare the filter that removes it.'
        : 'Let the result cross with its call, or list it in the record: completed_effects [{op, tool, key, result}].',
    trait: operation.tool,
  }
}
