import { canonicalJson } from '../../model/hash.ts'
import { fromJsonText, isObject } from '../../model/json.ts'
import type { Operation, Step } from '../run.ts'
import { hasEffect } from './effects.ts'

/*
 * "Invoice only after the stock is reserved" is meant for each order, not once for all of them. Two calls are about one
 * object if they share an argument that names one (an id, a number, an order), or all that one of them has. A call is held
 * against those that share most with it; where none is about the same object, any of them counts: that nothing was done
 * to this one may as well mean that the log calls it otherwise.
 */

// A value that so many calls have, such as a currency, tells none of them from the others.
const SHARED_BY_AT_MOST = 50

/** For a call that may only follow one of `calls`: the step at which the one that it has to follow was done, if ever. */
export function precedingCalls(calls: readonly Operation[]): (operation: Operation) => Step {
  const done = new Map(calls.map((call) => [call, stepDone(call)]))
  const first = [...done.values()].reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  const sharing = byArgument(calls)
  return (operation) => {
    const shared = new Map<Operation, string[]>()
    const own = argumentsOf(operation)
    for (const argument of own) {
      const list = sharing.get(argument) ?? []
      if (list.length > SHARED_BY_AT_MOST) continue
      for (const call of list) shared.set(call, [...(shared.get(call) ?? []), argument])
    }
    const about = [...shared].filter(([call, common]) => {
      return isOneObject(Math.min(own.length, Object.keys(fieldsOf(call)).length), common)
    })
    if (about.length === 0) return first
    const most = Math.max(...about.map(([, common]) => common.length))
    return Math.min(...about.flatMap(([call, common]) => (common.length === most ? [done.get(call)!] : [])))
  }
}

/** `fewest`: how many arguments that of the two calls has which has fewer. */
function isOneObject(fewest: number, common: readonly string[]): boolean {
  return common.length === fewest || common.some((argument) => namesAnObject(argument.split('\u0000')[0]!))
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
  const fields = fromJsonText(args)
  return isObject(fields) ? fields : {}
}

const OBJECT =
  /(^|_)(id|no|number|ref|reference|order|sku|customer|account|booking|reservation|ticket|case|invoice|parcel|vendor)$/u

function namesAnObject(name: string): boolean {
  return OBJECT.test(name.replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2').toLowerCase())
}
