import { oncePerRun } from '../once-per-run.ts'
import type { Run } from '../run.ts'

/** True if the name is known to be an agent's: it has tools or permissions of its own, or it called a tool. */
export function isAgent(run: Run, name: string): boolean {
  return agentNames(run).has(name)
}

const PERSON = /^(human|person|people|user|operator|staff|owner)\b/iu

/** True if the name is a person's: by the word, or because a task was escalated to it. People make calls as well. */
export function isPerson(run: Run, name: string): boolean {
  return PERSON.test(name) || peopleOf(run).has(name)
}

const peopleOf = oncePerRun(
  (run) =>
    new Set(run.handoffs.flatMap(({ mode, to }) => (mode === 'escalate' && to !== undefined ? [to] : []))),
)

const agentNames = oncePerRun((run) => {
  const names = new Set<string>()
  for (const agent of run.agents.values()) {
    if (agent.tools !== undefined || agent.versions.length > 0) names.add(agent.name)
  }
  for (const { agent } of run.operations.values()) if (agent !== undefined) names.add(agent)
  return names
})
