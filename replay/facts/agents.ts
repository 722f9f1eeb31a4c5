import { oncePerRun } from '../once-per-run.ts'
import type { Run } from '../run.ts'

/** True if the name is known to be an agent's: it has tools or permissions of its own, or it called a tool. */
export function isAgent(run: Run, name: string): boolean {
  return agentNames(run).has(name)
}

/**
 * True if the log knows an agent by this very name, though it may be a word that is often used for a role: it works as
 * one, or a task went from it or to it. A runtime may start agents anew, or give notice, under such a word.
 */
export function isNameOfAgent(run: Run, name: string): boolean {
  return !isCalledPerson(run, name) && (isAgent(run, name) || inHandoffs(run).has(name))
}

/** True if the name is a person's: by the word, or because a task was escalated to it. People make calls as well. */
export function isPerson(run: Run, name: string): boolean {
  return isCalledPerson(run, name) || peopleOf(run).has(name)
}

const PERSON = /^(human|person|people|user|operator|staff|owner)\b/iu

/** True if the name is a word for a person, and nothing in the log shows a model behind it. */
export function isCalledPerson(run: Run, name: string): boolean {
  return PERSON.test(name) && !hasModel(run, name)
}

/** True if a model works under the name: it has tools, was given instructions, or was asked. People have none of these. */
export function hasModel(run: Run, name: string): boolean {
  return modelNames(run).has(name)
}

const peopleOf = oncePerRun(
  (run) =>
    new Set(run.handoffs.flatMap(({ mode, to }) => (mode === 'escalate' && to !== undefined ? [to] : []))),
)

const inHandoffs = oncePerRun((run) => {
  const gives = ({ mode }: { mode: string }) => mode !== 'resume' && mode !== 'notify'
  return new Set(
    run.handoffs.flatMap((handoff) => [
      ...(gives(handoff) ? [handoff.from] : []),
      handoff.to,
      ...handoff.receipts.map(({ by }) => by),
    ]),
  )
})

const agentNames = oncePerRun((run) => {
  const names = new Set<string>()
  for (const agent of run.agents.values()) {
    if (agent.tools !== undefined || agent.versions.length > 0) names.add(agent.name)
  }
  for (const { agent } of run.operations.values()) if (agent !== undefined) names.add(agent)
  return names
})

const modelNames = oncePerRun((run) => {
  const names = new Set<string | undefined>()
  for (const { name, tools } of run.agents.values()) if (tools?.length) names.add(name)
  for (const { event } of run.modelInputs) names.add(event.agent)
  for (const { receipts } of run.handoffs) {
    for (const { by, tools, instructions } of receipts)
      if (tools?.length || instructions !== undefined) names.add(by)
  }
  return names
})
