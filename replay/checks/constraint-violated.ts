import type { Check } from '../check.ts'
import type { Evidence } from '../diff/handoff-diff.ts'
import { groupBy } from '../facts/dispatches.ts'
import { type BrokenRule, brokenRules } from '../facts/violations.ts'
import type { Draft } from '../finding.ts'
import { firstStep } from '../history.ts'
import { aboutHandoff, listed, nameOf, quote } from '../phrase.ts'

export const constraintViolated: Check = {
  id: 'constraint-violated',
  severity: 'error',
  title: 'A rule was broken',
  question: 'Did the receiver ignore the rule, or did the runtime fail to pass it?',
  definition:
    'Raised for calls that leave while an active constraint forbids them by its check (order, forbid, limit, ' +
    'require_approval). The attribution says whose doing it is: carried, not followed (the agent had the rule); dropped at ' +
    'the handoff (the sender had it, and it did not cross); not in state (nobody on the way to the agent had it). A ' +
    'constraint without such a check is judged by nobody.',
  judgesByWords: true,
  check({ run }) {
    const groups = groupBy(
      brokenRules(run),
      ({ constraint, agent, attribution }) => `${constraint.id}\u0000${agent}\u0000${attribution}`,
    )
    return { findings: [...groups.values()].map(draft) }
  },
}

function draft(group: readonly BrokenRule[]): Draft {
  const { constraint, agent, attribution, handoff } = group[0]!
  const calls = listed([...new Set(group.map(({ operation }) => nameOf(operation)))])
  return {
    ...(handoff === undefined
      ? { agents: agent === undefined ? [] : [agent] }
      : aboutHandoff(handoff.handoff)),
    subject: { kind: 'constraint', id: constraint.id },
    message:
      `${agent ?? 'An agent'} broke the rule ${quote(constraint.text || constraint.id)} (${constraint.id}) with ${calls}. ` +
      reason(group[0]!),
    evidence: evidenceOf(group),
    remedy: remedyOf(group[0]!),
    attribution,
    trait: `${constraint.text || constraint.id} ${group[0]!.operation.tool}`,
  }
}

function reason({ attribution, handoff, agent }: BrokenRule): string {
  const who = agent ?? 'the agent'
  if (attribution === 'carried, not followed') {
    return handoff === undefined
      ? `No handoff lies between: ${who} had the rule itself (carried, not followed).`
      : `Handoff ${handoff.handoff.id} had brought it (carried, not followed): ${who} ignored the rule.`
  }
  if (attribution === 'dropped at the handoff') {
    const { from, id } = handoff!.handoff
    const later =
      handoff!.receipt.by === agent
        ? ''
        : `, and ${handoff!.receipt.by ?? 'its receiver'} could not pass it on to ${who}`
    return `${from ?? 'The sender'} had it and ${id} did not carry it${later} (dropped at the handoff): the runtime failed to pass the rule.`
  }
  return `Neither ${who} nor whoever handed the task to it had been told (not in state).`
}

function remedyOf({ attribution }: BrokenRule): string {
  if (attribution === 'carried, not followed')
    return 'Hold the rule in the runtime: check the call against it before it leaves.'
  if (attribution === 'dropped at the handoff')
    return 'Carry active rules in the record: constraints [{id, text, check}].'
  return 'Put the rule into the state of the run when it is given, so that every handoff can carry it.'
}

function evidenceOf(group: readonly BrokenRule[]): Evidence[] {
  const { constraint, handoff } = group[0]!
  return [
    { step: firstStep(constraint), side: 'sender', path: `constraint ${constraint.id}` },
    ...(handoff?.handoff.sent === undefined
      ? []
      : [{ step: handoff.handoff.sent.step, side: 'sender' as const }]),
    ...(handoff === undefined ? [] : [{ step: handoff.receipt.step, side: 'receiver' as const }]),
    ...group.slice(0, 5).map(({ step, operation }) => ({ step, path: `operation ${operation.op}` })),
  ]
}
