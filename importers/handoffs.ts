import { type Acts, type AgentAct, byTime, type HandoffAct } from './acts.ts'
import { joinCalls } from './join-calls.ts'
import type { Notes } from './notes.ts'
import { earlier } from './time.ts'

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
  const agents = [...acts.agents].sort(byTime)
  for (const act of [...acts.models, ...acts.tools, ...acts.handoffs]) {
    if (act.run !== undefined) continue
    const name = 'evidence' in act ? act.from : act.agent
    const running = agents.filter(
      ({ voice, start, end, node, name: own }) =>
        voice === act.voice &&
        node.span.traceId === act.node.span.traceId &&
        (name === undefined || own === name) &&
        start <= act.start &&
        (end === undefined || act.start <= end),
    )
    act.run = running.at(-1)
    if ('evidence' in act) act.from ??= act.run?.name
    else act.agent ??= act.run?.name
  }
}

/** An agent that runs inside of a tool call works for the caller, and control returns to it. */
function nestedHandoffs(acts: Acts): void {
  for (const agent of acts.agents) {
    const { via, caller } = agent
    if (via === undefined) continue
    const stated = acts.handoffs.find(({ node }) => node === via.node)
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
  const answered = new Set<HandoffAct>()
  for (const agent of acts.agents) {
    const { handedBy } = agent
    if (handedBy === undefined || handedBy.from === agent.name) continue
    const known = acts.handoffs.findLast(
      (handoff) =>
        !answered.has(handoff) &&
        handoff.voice === agent.voice &&
        handoff.to === agent.name &&
        handoff.start <= agent.start,
    )
    if (known !== undefined) {
      answered.add(known)
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
      run: acts.agents.findLast(({ name, start }) => name === handedBy.from && start < agent.start),
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
