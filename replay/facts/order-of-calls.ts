import { canonicalJson } from '../../model/hash.ts'
import { isObject } from '../../model/json.ts'
import type { Operation, Step } from '../run.ts'
import { hasEffect } from './effects.ts'
import { parsed } from './scope.ts'

/*
 * "Invoice only after the stock is reserved" is meant for each order, not once for all of them. Two calls are about one
 * object if they have arguments in common. Which arguments name the object is not known, so a call is held against the
 * earlier calls that share most with it; where none shares anything, any of them counts.
 */

// A value that so many calls have, such as a currency, tells none of them from the others.
const SHARED_BY_AT_MOST = 50

/** For a call that may only follow one of `calls`: the step at which the one that it has to follow was done, if ever. */
export function precedingCalls(calls: readonly Operation[]): (operation: Operation) => Step {
  const done = new Map(calls.map((call) => [call, stepDone(call)]))
  const first = Math.min(Number.POSITIVE_INFINITY, ...done.values())
  const sharing = byArgument(calls)
  const names = new Set(calls.flatMap((call) => Object.keys(fieldsOf(call)).filter(namesAnObject)))
  return (operation) => {
    const lists = argumentsOf(operation).flatMap((argument) => [sharing.get(argument) ?? []])
    const shared = new Map<Operation, number>()
    for (const list of lists.filter(({ length }) => length <= SHARED_BY_AT_MOST)) {
      for (const call of list) shared.set(call, (shared.get(call) ?? 0) + 1)
    }
    if (shared.size === 0) {
      // Both name their object by the same argument, and nothing was done to this one.
      const isAnother =
        lists.every(({ length }) => length === 0) &&
        Object.keys(fieldsOf(operation)).some((name) => names.has(name))
      return isAnother ? Number.POSITIVE_INFINITY : first
    }
    const most = Math.max(...shared.values())
    return Math.min(...[...shared].flatMap(([call, count]) => (count === most ? [done.get(call)!] : [])))
  }
}

function stepDone({ versions }: Operation): Step {
  return versions.find(({ value }) => hasEffect(value))?.step ?? Number.POSITIVE_INFINITY
}

function byArgument(calls: readonly Operation[]): Map<string, Operation[]> {
  const index = new Map<string, Operation[]>()
  for (const call of calls) {
    for (const argument of argumentsOf(call)) {
      const known = index.get(argument)
      if (known === undefined) index.set(argument, [call])
      else known.push(call)
    }
  }
  return index
}

/** Each argument with its value, as one text. */
function argumentsOf(call: Operation): string[] {
  return Object.entries(fieldsOf(call)).map(([name, value]) => `${name}\u0000${canonicalJson(value ?? null)}`)
}

function fieldsOf({ args }: Operation): Record<string, unknown> {
  const fields = parsed(args)
  return isObject(fields) ? fields : {}
}

const OBJECT =
  /(^|_)(id|no|number|ref|reference|order|sku|customer|account|booking|reservation|ticket|case|invoice|parcel|vendor)$/u

function namesAnObject(name: string): boolean {
  return OBJECT.test(name.replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2').toLowerCase())
}
