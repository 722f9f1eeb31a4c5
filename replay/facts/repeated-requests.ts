import { canonicalJson } from '../../model/hash.ts'
import type { EventOf } from '../../model/run-log.ts'
import type { Run, Step } from '../run.ts'
import { withoutGenerated } from './generated.ts'

/** A model request of a repeating run beside that of the run it repeats: equal items, and one part that differs. */
export type RequestPair = {
  now: EventOf<'model.input'>
  then: EventOf<'model.input'>
  step: Step
  name: 'instructions' | 'tools'
}

/** The first request of each agent whose items are those of the same request in the other run, but not what is around them. */
export function requestsThatDiffer(run: Run, other: Run): RequestPair[] {
  const earlier = byPlace(other)
  const reported = new Set<string>()
  return [...byPlace(run)].flatMap(([place, { step, event: now }]) => {
    const then = earlier.get(place)?.event
    if (then === undefined || reported.has(now.agent ?? '') || !isSame(now.items, then.items)) return []
    const name = (['instructions', 'tools'] as const).find(
      (part) => now[part] !== undefined && then[part] !== undefined && !isSame(now[part], then[part]),
    )
    if (name === undefined) return []
    reported.add(now.agent ?? '')
    return [{ now, then, step, name }]
  })
}

/** Model requests by agent and how many of its went before. */
function byPlace({ modelInputs }: Run): Map<string, Run['modelInputs'][number]> {
  const counts = new Map<string, number>()
  return new Map(
    modelInputs.map((input) => {
      const agent = input.event.agent ?? ''
      const count = counts.get(agent) ?? 0
      counts.set(agent, count + 1)
      return [`${agent}\u0000${count}`, input]
    }),
  )
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(withoutGenerated(a ?? null)) === canonicalJson(withoutGenerated(b ?? null))
}
