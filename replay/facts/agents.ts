import { oncePerRun } from '../once-per-run.ts'
import type { Run } from '../run.ts'

/** True if the name is known to be an agent's: it has tools or permissions of its own, or it called a tool. */
export function isAgent(run: Run, name: string): boolean {
  return agentNames(run).has(name)
}

const agentNames = oncePerRun((run) => {
  const names = new Set<string>()
  for (const agent of run.agents.values()) {
    if (agent.tools !== undefined || agent.versions.length > 0) names.add(agent.name)
  }
  for (const { agent } of run.operations.values()) if (agent !== undefined) names.add(agent)
  return names
})
