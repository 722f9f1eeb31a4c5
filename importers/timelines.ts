import type { AgentAct, ModelAct } from './acts.ts'
import { groupBy } from './group-by.ts'

/*
 * Look-ups by who and when. A trace of an agent that ran for days has tens of thousands of spans: none of these questions
 * may walk through all of them.
 */

type Timed = { start: bigint }

/** Number of entries that began no later than a time. The list is in the order of its starts. */
function countUntil(list: readonly Timed[], time: bigint): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle]!.start <= time) low = middle + 1
    else high = middle
  }
  return low
}

/** The last entry that began no later than a time and passes the test. */
export function lastUntil<T extends Timed>(
  list: readonly T[] | undefined,
  time: bigint,
  test: (entry: T) => boolean = () => true,
): T | undefined {
  if (list === undefined) return undefined
  for (let index = countUntil(list, time) - 1; index >= 0; index--) if (test(list[index]!)) return list[index]
  return undefined
}

/** The first entry that began no earlier than a time and passes the test. */
export function firstFrom<T extends Timed>(
  list: readonly T[] | undefined,
  time: bigint,
  test: (entry: T) => boolean = () => true,
): T | undefined {
  if (list === undefined) return undefined
  for (let index = countUntil(list, time - 1n); index < list.length; index++) {
    if (test(list[index]!)) return list[index]
  }
  return undefined
}

type Models = { byRun: Map<AgentAct | undefined, ModelAct[]>; byAgent: Map<string | undefined, ModelAct[]> }

const indexes = new WeakMap<readonly ModelAct[], Models>()

/** Requests by run and by agent, each in the order of their starts. The list is to be in that order, and complete. */
export function modelsBy(models: readonly ModelAct[]): Models {
  const known = indexes.get(models)
  if (known !== undefined) return known
  const index = { byRun: groupBy(models, ({ run }) => run), byAgent: groupBy(models, ({ agent }) => agent) }
  indexes.set(models, index)
  return index
}
