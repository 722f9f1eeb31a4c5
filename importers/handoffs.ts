import { type Acts, type AgentAct, byTime, type HandoffAct } from './acts.ts'
import { groupBy } from './group-by.ts'
import { joinCalls } from './join-calls.ts'
import type { Notes } from './notes.ts'
import { rootOf, type SpanNode } from './span-tree.ts'
import { earlier } from './time.ts'
import { lastUntil } from './timelines.ts'

/*
 * Who handed to whom, in one account of a run. What spans state is taken as it is; then what agents say of themselves,
 * what nesting shows, and at last what only the order tells. Each with its evidence.
 */

/** Completes the handoffs of an account: targets, senders, calls, and those that no span of their own shows. */
export function findHandoffs(acts: Acts, notes: Notes): void {
  ownAgents(acts)
  nestedHandoffs(acts)
  statedByReceivers(acts)
  nextAgents(acts, notes)
  acts.handoffs.sort(byTime)
  dropRepeats(acts)
  joinCalls(acts)
}

/** Spans of models and tools that hang under no agent: the agent that began last before them, and is not over, is at work. */
function ownAgents(acts: Acts): void {
  const agents = groupBy([...acts.agents].sort(byTime), placeOf)
  for (const act of [...acts.models, ...acts.tools, ...acts.handoffs]) {
    if (act.run !== undefined) continue
    const name = 'evidence' in act ? act.from : act.agent
    act.run = lastUntil(
      agents.get(placeOf(act)),
      act.start,
      ({ name: own, end }) => (name === undefined || own === name) && (end === undefined || act.start <= end),
    )
    if ('evidence' in act) act.from ??= act.run?.name
    else act.agent ??= act.run?.name
  }
}

/**
 * Where the time may tell who is at work: in one tree of one instrumentation, or under one span that is missing. What hangs
 * under another missing span may be anybody's.
 */
function placeOf({ voice, node }: { voice: string; node: SpanNode }): string {
  const { span, orphan } = rootOf(node)
  return `${voice}\u0000${span.traceId}\u0000${orphan ? `under ${span.parentSpanId}` : ''}`
}

/** An agent that runs inside of a tool call works for the caller, and control returns to it. */
function nestedHandoffs(acts: Acts): void {
  const states = new Map(acts.handoffs.map((handoff) => [handoff.node, handoff]))
  for (const agent of acts.agents) {
    const { via, caller } = agent
    if (via === undefined) continue
    const stated = states.get(via.node)
    if (stated !== undefined) {
      stated.inside ??= agent
      stated.to ??= agent.name
      continue
    }
    via.handsOver = true
    acts.handoffs.push({
      ...toldBy(agent),
      start: earlier(via.start, agent.start),
      end: via.end ?? agent.end,
      id: agent.node.span.spanId,
      attempt: 1,
      evidence: 'nesting',
      mode: 'delegate',
      from: caller?.name ?? via.agent,
      to: agent.name,
      tool: via.name,
      ...(via.call === undefined ? {} : { call: via.call }),
      ...(via.args === undefined ? {} : { brief: via.args }),
      ...(via.result === undefined ? {} : { result: via.result }),
      ...(via.error === undefined ? {} : { broke: via.error }),
      run: caller,
      inside: agent,
    })
  }
}

/** The receiver's own span states who gave it the task. Told once: a handoff to it that no run of its answers is that one. */
function statedByReceivers(acts: Acts): void {
  const waiting = groupBy(acts.handoffs, ({ voice, to }) => `${voice}\u0000${to}`)
  const byName = groupBy([...acts.agents].sort(byTime), ({ name }) => name)
  for (const agent of acts.agents) {
    const { handedBy } = agent
    if (handedBy === undefined || handedBy.from === agent.name) continue
    const list = waiting.get(`${agent.voice}\u0000${agent.name}`) ?? []
    const place = list.findLastIndex(({ start }) => start <= agent.start)
    const [known] = place < 0 ? [] : list.splice(place, 1)
    if (known !== undefined) {
      known.inside ??= agent
      known.from ??= handedBy.from
      continue
    }
    acts.handoffs.push({
      ...toldBy(agent),
      id: agent.node.span.spanId,
      attempt: 1,
      evidence: handedBy.evidence,
      mode: 'transfer',
      from: handedBy.from,
      to: agent.name,
      run: lastUntil(byName.get(handedBy.from), agent.start, (run) => run !== agent),
      inside: agent,
    })
  }
}

/** What is read from the items of a request stands in every later request too: the first one tells it. */
function dropRepeats(acts: Acts): void {
  const seen = new Set<string>()
  acts.handoffs = acts.handoffs.filter(({ mode, call, voice }) => {
    if (mode !== 'return' || call === undefined) return true
    const name = `${voice}\u0000${call}`
    return !seen.has(name) && seen.add(name)
  })
}

/** A handoff whose span was begun before anybody knew the target: the next agent to begin is taken for it. */
function nextAgents(acts: Acts, notes: Notes): void {
  const taken = new Set<AgentAct>()
  for (const handoff of [...acts.handoffs].sort(byTime)) {
    if (handoff.to !== undefined || handoff.failed !== undefined) continue
    const next = acts.agents.find(
      (agent) =>
        !taken.has(agent) &&
        agent.via === undefined &&
        agent.voice === handoff.voice &&
        agent.node.span.traceId === handoff.node.span.traceId &&
        agent.start >= handoff.start,
    )
    if (next === undefined) {
      notes.add(
        'a handoff names no target and no agent began after it: its target is not known',
        handoff.node.span,
      )
      continue
    }
    taken.add(next)
    handoff.to = next.name
    handoff.inside = next
    handoff.evidence = 'next_span'
  }
}

function toldBy({ node, voice, rank, start, end }: AgentAct) {
  return { node, voice, rank, start, end }
}

/** Where a helper's run is over, control returns to its caller: the answer of the call is what it hands back. */
export function withReturns(handoffs: readonly HandoffAct[]): HandoffAct[] {
  return handoffs.flatMap((handoff) => {
    const { mode, end, from, to, failed, broke, inside, result } = handoff
    if (mode !== 'delegate' || end === undefined || from === undefined || to === undefined) return [handoff]
    if (failed !== undefined || broke !== undefined || (inside === undefined && result === undefined))
      return [handoff]
    const { brief: _, result: __, sides: ___, ...fields } = handoff
    return [
      handoff,
      {
        ...fields,
        id: `${handoff.id}-return`,
        mode: 'return',
        from: to,
        to: from,
        start: end,
        run: inside,
        inside: handoff.run,
        ...(result === undefined ? {} : { brief: result }),
      },
    ]
  })
}
