import { normaliseText } from '../../model/hash.ts'
import { readItems, textOfContent } from '../../model/items.ts'
import { originKind, readPrincipal } from '../../model/principal.ts'
import type { Check, CheckInput } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { isAgent, isPerson } from '../facts/agents.ts'
import type { Draft } from '../finding.ts'
import { readApprovalState } from '../fold/approval-state.ts'
import { oncePerRun } from '../once-per-run.ts'
import { aboutHandoff, quote, receiverOf } from '../phrase.ts'
import type { Run } from '../run.ts'

const REMEDY =
  "Keep the user's role for what a person wrote. Mark everything else with its origin, and take no yes from it."

export const originEscalated: Check = {
  id: 'origin-escalated',
  severity: 'error',
  title: 'Something speaks with an authority that it does not have',
  question: "Does everything in the user's role come from a person?",
  definition:
    "Raised for an item or a message in the user's role that comes from a framework, an agent or nobody known; for one that " +
    'claims to be from a human or a higher authority than its author; for a principal that became a human on the way; and ' +
    'for an approval that no person gave. A brief to a helper, and the words of the webhook or schedule that started the ' +
    "run, stand in the user's role by right. Text alone proves no claim.",
  check(input) {
    return {
      findings: [
        ...input.diffs.flatMap(escalatedItems),
        ...input.diffs.flatMap(escalatedPrincipal),
        ...escalatedMessages(input),
        ...escalatedApprovals(input.run),
      ],
    }
  },
}

function escalatedItems(diff: HandoffDiff): Draft[] {
  return diff.origin.escalations.map(({ item, why }) => ({
    ...aboutHandoff(diff.handoff),
    subject: { kind: 'item', id: item.id ?? item.path },
    message:
      `${receiverOf(diff.handoff)} reads ${quote(item.text)} (${item.path}), which ${why}. ` +
      'It may take this for an order, or a yes, that nobody gave.',
    evidence: [
      { step: diff.receipt!.step, side: 'receiver' as const, path: item.path, text: item.text },
      ...(diff.sent === undefined ? [] : [{ step: diff.sent.step, side: 'sender' as const }]),
    ],
    remedy: REMEDY,
    trait: `${item.role ?? item.type} ${why}`,
  }))
}

function escalatedPrincipal(diff: HandoffDiff): Draft[] {
  const { verdict, sent, received } = diff.origin
  if (verdict !== 'escalated' || diff.sent === undefined) return []
  return [
    {
      ...aboutHandoff(diff.handoff),
      subject: { kind: 'principal', id: received?.id ?? received?.kind ?? 'principal' },
      message:
        `The task was started by ${sent?.kind ?? 'nobody known'}, and ${receiverOf(diff.handoff)} was told that it comes from ` +
        `${received?.kind}. What needs a person's authority is then done without one.`,
      evidence: [
        { step: diff.sent.step, side: 'sender', path: 'principal' },
        { step: diff.receipt!.step, side: 'receiver', path: 'principal' },
      ],
      remedy: 'Pass the principal of the run on unchanged.',
      trait: 'principal',
    },
  ]
}

/** Turns in the log itself that stand in the user's role and are not a person's. */
function escalatedMessages({ run, diffs }: CheckInput): Draft[] {
  const reported = new Set(
    diffs.flatMap((diff) => diff.origin.escalations.map(({ item }) => normaliseText(item.text))),
  )
  return run.messages.flatMap(({ step, event }) => {
    if (event.origin === undefined && event.claims === undefined) return []
    const [item] = readItems([event])
    if (item === undefined || item.role !== 'user') return []
    const kind = item.origin?.kind === undefined ? undefined : originKind(item.origin.kind)
    const claims = readPrincipal(event.claims)
    const foreign = kind !== undefined && kind !== 'human' && kind !== run.principal?.kind
    if (!foreign && !(claims !== undefined && kind !== 'human' && kind !== undefined)) return []
    const text = textOfContent(event.content)
    if (kind === 'agent' && briefsOf(run).has(normaliseText(text))) return []
    if (reported.has(normaliseText(text))) return []
    return [
      {
        agents: event.agent === undefined ? [] : [event.agent],
        subject: { kind: 'message', id: event.id ?? `step ${step}` },
        message:
          `${quote(text)} was put before ${event.agent ?? 'the agent'} in the user's role, but comes from ${kind}. ` +
          'It may be taken for an order, or a yes, that nobody gave.',
        evidence: [{ step, text }],
        remedy: REMEDY,
        trait: `message ${kind}`,
      },
    ]
  })
}

/** What helpers were asked, in whatever item: it stands in the user's role by right. */
const briefsOf = oncePerRun((run) => {
  const delegated = run.handoffs.filter(({ mode }) => mode === 'delegate' || mode === 'resume')
  return new Set(
    delegated.flatMap(({ sent, receipts }) => [
      normaliseText(textOfContent(sent?.event.brief)),
      ...receipts.flatMap(({ items }) => (items ?? []).map((item) => normaliseText(item.text))),
    ]),
  )
})

/** A yes with an origin that is no person, or given by an agent. */
function escalatedApprovals(run: Run): Draft[] {
  return [...run.approvals.values()].flatMap((approval) =>
    approval.versions.flatMap(({ step, value }) => {
      if (value.event.state === undefined || readApprovalState(value.event.state) !== 'approved') return []
      const { origin } = value.event
      const [item] = origin === undefined ? [] : readItems([{ type: 'approval', origin }])
      const kind = item?.origin?.kind === undefined ? undefined : originKind(item.origin.kind)
      const { by } = value.event
      const byAgent = by !== undefined && by !== run.principal?.id && isAgent(run, by) && !isPerson(run, by)
      const foreign = kind !== undefined && kind !== 'human' && kind !== 'org'
      if (!byAgent && !foreign) return []
      const giver = byAgent ? `${by}, ${by === value.agent ? 'the agent that asked' : 'an agent'}` : kind
      return [
        {
          agents: value.agent === undefined ? [] : [value.agent],
          subject: { kind: 'approval', id: approval.id },
          message: `Approval ${approval.id} was given by ${giver}, not by a person. The action runs without anybody's yes.`,
          evidence: [{ step, path: `approval ${approval.id}` }],
          remedy: 'Take a decision only from the person who was asked, and record who it was.',
          trait: value.action ?? 'approval',
        },
      ]
    }),
  )
}
