import { oncePerRun } from '../once-per-run.ts'
import type { Run, Step } from '../run.ts'

/*
 * Most checks look for events of one or two rare kinds. The kinds of a run are few and its events many: they are told
 * apart once.
 */

const byKind = oncePerRun((run): ReadonlyMap<string, readonly Step[]> => {
  const steps = new Map<string, Step[]>()
  for (let step = 0; step < run.events.length; step++) {
    const { kind } = run.events[step]!
    const known = steps.get(kind)
    if (known === undefined) steps.set(kind, [step])
    else known.push(step)
  }
  return steps
})

/** The steps of all events of a kind, in order. */
export function stepsOf(run: Run, kind: string): readonly Step[] {
  return byKind(run).get(kind) ?? []
}

/** The steps of the events of every kind that is meant, in order. */
export function stepsOfKinds(run: Run, isMeant: (kind: string) => boolean): Step[] {
  const meant = [...byKind(run)].filter(([kind]) => isMeant(kind))
  return meant.flatMap(([, steps]) => steps).sort((a, b) => a - b)
}
