import type { Run } from './run.ts'

// Asked for every item of every payload; a folded run does not change.
const names = new WeakMap<Run, Set<string>>()

/** True if the name is known to be an agent's: it has tools or permissions of its own, or it called a tool. */
export function isAgent(run: Run, name: string): boolean {
  let known = names.get(run)
  if (known === undefined) {
    known = new Set(
      [...run.agents.values()].flatMap((agent) =>
        agent.tools !== undefined || agent.versions.length > 0 ? [agent.name] : [],
      ),
    )
    for (const { agent } of run.operations.values()) if (agent !== undefined) known.add(agent)
    names.set(run, known)
  }
  return known.has(name)
}
