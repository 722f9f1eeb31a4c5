import { isKind } from '../../model/run-log.ts'
import { toolNames } from '../../model/tool-names.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Run, Step } from '../run.ts'
import { firstIndexAfter } from '../steps.ts'
import { stepsOfKinds } from './steps-by-kind.ts'

/** The tools an agent had from a step on, and what says so; `names` is undefined if some of them are not named. */
export type Toolkit = {
  step: Step
  names: string[] | undefined
  source: 'configuration' | 'payload' | 'model input'
  handoff?: string | undefined
}

/** What the agent was given as tools, each time the log says it, in order. */
function toolkitsOf(run: Run, agent: string): readonly Toolkit[] {
  return collect(run).get(agent) ?? []
}

/** The latest toolkit before the step. */
export function toolkitAt(run: Run, agent: string, step: Step): Toolkit | undefined {
  const toolkits = toolkitsOf(run, agent)
  return toolkits[firstIndexAfter(toolkits, step - 1) - 1]
}

/** The tools that the agent was configured with before the step. */
export function configuredTools(run: Run, agent: string, step: Step): string[] | undefined {
  return toolkitsOf(run, agent).findLast(
    (toolkit) => toolkit.step < step && toolkit.source === 'configuration',
  )?.names
}

// Events that say which tools an agent was given.
const GIVING = new Set(['run.start', 'agent.config', 'model.input', 'handoff.received'])

const collect = oncePerRun((run): Map<string, Toolkit[]> => {
  const found = new Map<string, Toolkit[]>()
  const add = (agent: string | undefined, tools: unknown, toolkit: Omit<Toolkit, 'names'>) => {
    if (agent === undefined || !Array.isArray(tools)) return
    const named = tools.map(toolNames)
    const names = named.every((list) => list.length > 0) ? named.flat() : undefined
    const known = found.get(agent)
    if (known === undefined) found.set(agent, [{ ...toolkit, names }])
    else known.push({ ...toolkit, names })
  }
  for (const step of stepsOfKinds(run, (kind) => GIVING.has(kind))) {
    const event = run.events[step]!
    if (isKind(event, 'run.start')) {
      for (const agent of event.agents ?? []) add(agent.name, agent.tools, { step, source: 'configuration' })
    } else if (isKind(event, 'agent.config')) add(event.agent, event.tools, { step, source: 'configuration' })
    else if (isKind(event, 'model.input')) add(event.agent, event.tools, { step, source: 'model input' })
    else if (isKind(event, 'handoff.received')) {
      add(event.by ?? event.agent, event.tools, { step, source: 'payload', handoff: event.handoff })
    }
  }
  return found
})
