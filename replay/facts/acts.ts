import { textOfContent } from '../../model/items.ts'
import { firstStep } from '../history.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Step } from '../run.ts'
import { dispatchStep } from './effects.ts'

/** Something that an agent did by itself. */
export type Act = {
  step: Step
  agent: string
  kind: 'word' | 'request' | 'read' | 'write'
  /** As a sentence names it: `save_field (op-2)`, `"Let me note that."`. */
  text: string
}

/**
 * What agents did, in order: words that say something, requests to their models, calls that left. A call counts at the
 * step at which it began, so that a late reply is no act.
 */
export const actsOf = oncePerRun((run): readonly Act[] => {
  const acts: Act[] = []
  for (const { step, event } of run.messages) {
    const text = textOfContent(event.content).trim()
    if (event.agent === undefined || text === '') continue
    if (event.role === undefined || event.role === 'assistant')
      acts.push({ step, agent: event.agent, kind: 'word', text })
  }
  for (const { step, event } of run.modelInputs) {
    if (event.agent !== undefined)
      acts.push({ step, agent: event.agent, kind: 'request', text: 'a model request' })
  }
  for (const operation of run.operations.values()) {
    const left = dispatchStep(operation)
    if (operation.agent === undefined || left === undefined) continue
    acts.push({
      step: firstStep(operation),
      agent: operation.agent,
      kind: operation.effect,
      text: `${operation.tool} (${operation.op})`,
    })
  }
  return acts.sort((a, b) => a.step - b.step)
})

/** The acts of each agent, in order. */
export const actsByAgent = oncePerRun((run): ReadonlyMap<string, readonly Act[]> => {
  const byAgent = new Map<string, Act[]>()
  for (const act of actsOf(run)) {
    const acts = byAgent.get(act.agent)
    if (acts === undefined) byAgent.set(act.agent, [act])
    else acts.push(act)
  }
  return byAgent
})

/** The acts strictly between two steps. `acts` are in order. */
export function actsBetween(acts: readonly Act[] | undefined, after: Step, before: Step): Act[] {
  if (acts === undefined) return []
  let low = 0
  let high = acts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (acts[middle]!.step <= after) low = middle + 1
    else high = middle
  }
  let end = low
  while (end < acts.length && acts[end]!.step < before) end++
  return acts.slice(low, end)
}
