import { isObject, listOf, textOf } from '../../model/json.ts'
import type { Check } from '../check.ts'
import { hasModel } from '../facts/agents.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff } from '../phrase.ts'
import type { Handoff, Run } from '../run.ts'

// Targets that stand for whoever takes the task.
const COLLECTIVE =
  /^(queue|pool|group|team|role|any|anyone|all|human|person|people|operator|staff|user)s?\b/iu
const COLLECTIVE_KINDS = new Set(['queue', 'pool', 'group', 'team', 'role', 'human', 'person', 'any'])

export const wrongTarget: Check = {
  id: 'wrong-target',
  severity: 'error',
  title: 'Received by another agent than addressed',
  question: 'Did the handoff reach the agent that it names?',
  definition:
    'Raised when a handoff names one agent and another one received it. Instances of an agent (`billing-2` for `billing`) ' +
    'are that agent; a queue, a group, a role or a person may be answered by whoever belongs to it. Needs both names.',
  check({ run }) {
    return { findings: run.handoffs.flatMap((handoff) => misdelivered(run, handoff)) }
  },
}

function misdelivered(run: Run, handoff: Handoff): Draft[] {
  const { to, sent } = handoff
  if (to === undefined || sent === undefined || isCollective(run, handoff)) return []
  const receipt = handoff.receipts.find(
    ({ by }) => by !== undefined && !isSame(to, by) && !standsFor(run, by, to),
  )
  if (receipt === undefined) return []
  return [
    {
      ...aboutHandoff(handoff),
      agents: [handoff.from, to, receipt.by].filter((agent) => agent !== undefined),
      subject: { kind: 'handoff', id: handoff.id },
      message:
        `${handoff.from ?? 'The sender'} addressed ${to}, and ${receipt.by} received it. ` +
        `${receipt.by} acts on words that were not meant for it, and ${to} waits for nothing.`,
      evidence: [
        { step: sent.step, side: 'sender', path: 'to' },
        { step: receipt.step, side: 'receiver', path: 'by' },
      ],
      remedy: 'Route by the name in the handoff, and fail clearly when that agent does not exist.',
      trait: `${to} ${receipt.by}`,
    },
  ]
}

/** By what the sender says of it, else by the word, unless an agent is called so, as `team-lead`. */
function isCollective(run: Run, { to, sent }: Handoff): boolean {
  const kind = [sent!.event.to_kind, sent!.event.target_kind, sent!.event.target_type]
    .map(textOf)
    .find(Boolean)
  return (
    (COLLECTIVE.test(to!) && !hasModel(run, to!)) ||
    (kind !== undefined && COLLECTIVE_KINDS.has(kind.toLowerCase()))
  )
}

/** The same name, in another case, or with the number or place of an instance behind it. */
function isSame(to: string, by: string): boolean {
  const [name, actual] = [plain(to), plain(by)]
  if (name === actual) return true
  const [short, long] = name.length < actual.length ? [name, actual] : [actual, name]
  return long.startsWith(short) && /^[-_#@:./]?(\d+|[0-9a-f]{4,})$|^[@:#/]/u.test(long.slice(short.length))
}

function plain(name: string): string {
  return name
    .normalize('NFC')
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/gu, '-')
}

/** The receiver is declared to have that role, to belong to that group, or to be known under that name. */
function standsFor(run: Run, by: string, to: string): boolean {
  return run.events.some(
    (event) =>
      event.kind === 'run.start' &&
      listOf(event.agents).some((agent) => {
        if (!isObject(agent)) return false
        const names = [agent.role, agent.group, agent.team, ...listOf(agent.aliases), ...listOf(agent.roles)]
        return (
          (agent.name === by && names.includes(to)) ||
          (agent.name === to && listOf(agent.members).includes(by))
        )
      }),
  )
}
