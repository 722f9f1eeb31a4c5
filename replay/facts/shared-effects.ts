import { oncePerRun } from '../once-per-run.ts'
import type { Operation } from '../run.ts'
import { effectOf } from './effects.ts'

/**
 * The operations of each effect that more than one of them has; effects and operations in order. Most calls are made once:
 * only of those that are not is anything kept.
 */
export function sharedAmong(operations: readonly Operation[]): ReadonlyMap<string, readonly Operation[]> {
  const first = new Map<string, number>()
  const groups = new Map<string, { start: number; group: Operation[] }>()
  for (const [place, operation] of operations.entries()) {
    const effect = effectOf(operation)
    const start = first.get(effect)
    const known = groups.get(effect)
    if (start === undefined) first.set(effect, place)
    else if (known === undefined) groups.set(effect, { start, group: [operations[start]!, operation] })
    else known.group.push(operation)
  }
  const inOrder = [...groups].sort(([, a], [, b]) => a.start - b.start)
  return new Map(inOrder.map(([effect, { group }]) => [effect, group]))
}

/** The same of all operations of a run. */
export const sharedEffects = oncePerRun((run) => sharedAmong([...run.operations.values()]))
