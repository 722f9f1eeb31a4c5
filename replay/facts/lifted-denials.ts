import type { Run, Step } from '../run.ts'

/** A tool that an agent's rules once denied and, by a step, deny no more. */
export type LiftedDenial = { tool: string; agent: string; lifted: Step }

/** The denials that were lifted by a step, over all agents. */
export function liftedDenials(run: Run, step: Step): LiftedDenial[] {
  return [...run.agents.values()].flatMap(({ name, versions }) => {
    const known = versions.filter((version) => version.step <= step)
    const now = known.at(-1)
    if (now === undefined || known.length < 2) return []
    const denied = new Set(known.slice(0, -1).flatMap(({ value }) => value.deny ?? []))
    return [...denied]
      .filter(
        (tool) => !now.value.deny?.includes(tool) && !(now.value.closed && !now.value.allow?.includes(tool)),
      )
      .map((tool) => ({ tool, agent: name, lifted: now.step }))
  })
}
