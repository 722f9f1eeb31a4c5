import { type Acts, type AgentAct, byTime, type HandoffAct, type ModelAct } from './acts.ts'

/** Where a handoff arrived: the receiver's first request to its model, or where none is seen, the start of its run. */
export type Receipt = { handoff: HandoffAct; model?: ModelAct; agent?: AgentAct; at: bigint }

/**
 * The payload of a handoff is what the receiver's model really got: the first request of the receiver after it. What a
 * framework records as the input of an agent is not believed, since the model may get something else.
 */
export function findReceipts(acts: Acts): Receipt[] {
  const models = [...acts.models].sort(byTime)
  const taken = new Set<AgentAct>()
  return acts.handoffs.flatMap((handoff): Receipt[] => {
    if (handoff.failed !== undefined || handoff.to === undefined) return []
    const agent = handoff.inside ?? nextRun(acts.agents, handoff, taken)
    if (agent !== undefined) taken.add(agent)
    const model = firstRequest(models, handoff, agent)
    if (model !== undefined) return [{ handoff, model, at: model.start }]
    if (agent === undefined) return []
    // A caller that goes on after the call has what came back, whether or not it asks a model about it.
    if (handoff.mode !== 'return') return [{ handoff, agent, at: agent.start }]
    return (agent.end ?? 0n) >= handoff.start ? [{ handoff, agent, at: handoff.start }] : []
  })
}

/** The next run of the agent that the handoff names. One run answers one handoff. */
function nextRun(
  agents: readonly AgentAct[],
  handoff: HandoffAct,
  taken: ReadonlySet<AgentAct>,
): AgentAct | undefined {
  if (handoff.mode === 'return') return undefined
  return agents.find(
    (agent) =>
      !taken.has(agent) &&
      agent.name === handoff.to &&
      agent.start >= handoff.start &&
      agent.via === undefined,
  )
}

function firstRequest(
  models: readonly ModelAct[],
  handoff: HandoffAct,
  agent: AgentAct | undefined,
): ModelAct | undefined {
  if (handoff.mode === 'return') {
    // Control is back with the caller's own run, once the call has ended.
    const from = handoff.end ?? handoff.start
    return models.find(
      (model) =>
        model.start >= from &&
        (handoff.inside !== undefined ? model.run === handoff.inside : model.agent === handoff.to),
    )
  }
  const own = agent === undefined ? undefined : models.find((model) => model.run === agent)
  return own ?? models.find((model) => model.agent === handoff.to && model.start >= handoff.start)
}
