import { type Acts, type AgentAct, byTime, type HandoffAct, type ModelAct } from './acts.ts'
import { groupBy } from './group-by.ts'
import { firstFrom, modelsBy } from './timelines.ts'

/** Where a handoff arrived: the receiver's first request to its model, or where none is seen, the start of its run. */
export type Receipt = { handoff: HandoffAct; model?: ModelAct; agent?: AgentAct; at: bigint }

/**
 * The payload of a handoff is what the receiver's model really got: the first request of the receiver after it. What a
 * framework records as the input of an agent is not believed, since the model may get something else.
 */
export function findReceipts(acts: Acts): Receipt[] {
  const byName = groupBy([...acts.agents].sort(byTime), ({ name }) => name)
  const taken = new Set<AgentAct>()
  return acts.handoffs.flatMap((handoff): Receipt[] => {
    if (handoff.failed !== undefined || handoff.to === undefined) return []
    const agent = handoff.inside ?? nextRun(byName, handoff, taken)
    if (agent !== undefined) taken.add(agent)
    const model = firstRequest(acts.models, handoff, agent)
    if (model !== undefined) return [{ handoff, model, at: model.start }]
    if (agent === undefined) return []
    // A caller that goes on after the call has what came back, whether or not it asks a model about it.
    if (handoff.mode !== 'return') return [{ handoff, agent, at: agent.start }]
    return (agent.end ?? 0n) >= handoff.start ? [{ handoff, agent, at: handoff.start }] : []
  })
}

/** The next run of the agent that the handoff names. One run answers one handoff. */
function nextRun(
  byName: ReadonlyMap<string, AgentAct[]>,
  handoff: HandoffAct,
  taken: ReadonlySet<AgentAct>,
): AgentAct | undefined {
  if (handoff.mode === 'return') return undefined
  return firstFrom(
    byName.get(handoff.to!),
    handoff.start,
    (agent) => !taken.has(agent) && agent.via === undefined,
  )
}

function firstRequest(
  models: readonly ModelAct[],
  handoff: HandoffAct,
  agent: AgentAct | undefined,
): ModelAct | undefined {
  const { byRun, byAgent } = modelsBy(models)
  if (handoff.mode === 'return') {
    // Control is back with the caller's own run, once the call has ended.
    const own = handoff.inside === undefined ? byAgent.get(handoff.to) : byRun.get(handoff.inside)
    return firstFrom(own, handoff.end ?? handoff.start)
  }
  const own = agent === undefined ? undefined : byRun.get(agent)?.[0]
  return own ?? firstFrom(byAgent.get(handoff.to), handoff.start)
}
