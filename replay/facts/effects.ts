import { canonicalJson } from '../../model/hash.ts'
import { isObject, textOf } from '../../model/json.ts'
import { latest } from '../history.ts'
import { Remembered } from '../remembered.ts'
import type { Operation, OperationVersion, Run, Step } from '../run.ts'

// Arguments that name the request, not what it does. Matched without case and separators. A plain `key`, `request_id` or
// `message_id` is not among them: it may be what the call acts on.
const KEY_ARGUMENTS = new Set([
  'idempotencykey',
  'idempotencytoken',
  'idempotencyid',
  'clientrequestid',
  'clienttoken',
  'dedupekey',
  'deduplicationid',
])

// A folded operation does not change any more, and many checks compare it.
const effects = new Remembered<Operation, string>()

/** What a call would do, whoever makes it and under whatever key: tool and canonical arguments without the key. */
export function effectOf(operation: Operation): string {
  let effect = effects.get(operation)
  if (effect === undefined) {
    effect = effectOfCall(operation.tool, operation.args, operation.key)
    effects.set(operation, effect)
  }
  return effect
}

/** The same for a call that is not, or not yet, an operation. */
export function effectOfCall(tool: string, args: unknown, key: string | undefined): string {
  return `${tool}\u0000${canonicalJson(effectArguments(args, key))}`
}

/** The arguments without those that hold the key. */
export function effectArguments(args: unknown, key: string | undefined): unknown {
  if (!isObject(args)) return args ?? null
  const holdsKey = (name: string) => (key !== undefined && args[name] === key) || isKeyArgument(name)
  const names = Object.keys(args)
  if (!names.some((name) => holdsKey(name) || isHeaders(name, args[name]))) return args
  return Object.fromEntries(
    Object.entries(args)
      .filter(([name]) => !holdsKey(name))
      .map(([name, value]) => [name, isHeaders(name, value) ? effectArguments(value, key) : value]),
  )
}

/** True if the key stands among the arguments as what the call acts on, and not only as its own key. */
export function actsOnKey(args: unknown, key: string): boolean {
  return isObject(args) && Object.entries(args).some(([name, value]) => value === key && !isKeyArgument(name))
}

/** Headers that a call was given: a key may stand among them, under a name without case. */
function isHeaders(name: string, value: unknown): value is Record<string, unknown> {
  return name.length === HEADERS.length && name.toLowerCase() === HEADERS && isObject(value)
}

const HEADERS = 'headers'

const SHORTEST_KEY_ARGUMENT = Math.min(...[...KEY_ARGUMENTS].map((name) => name.length))

function isKeyArgument(name: string): boolean {
  if (name.length < SHORTEST_KEY_ARGUMENT) return false
  return KEY_ARGUMENTS.has(
    name
      .toLowerCase()
      .replace(/^x-/, '')
      .replace(/[^a-z]/g, ''),
  )
}

/** The key among the arguments of a call or in their headers, where the runtime does not name it beside them. */
export function keyAmongArguments(args: unknown): string | undefined {
  if (!isObject(args)) return undefined
  const names = Object.keys(args)
  const name = names.find(isKeyArgument)
  if (name !== undefined) return textOf(args[name])
  const headers = names.find((other) => isHeaders(other, args[other]))
  return headers === undefined ? undefined : keyAmongArguments(args[headers])
}

/** True if the two calls would have the same effect. */
export function sameEffect(a: Operation, b: Operation): boolean {
  return a.tool === b.tool && effectOf(a) === effectOf(b)
}

/** True if the call left the process: it may have had its effect. A failed one was refused, a proposed one never left. */
export function wasDispatched(version: OperationVersion): boolean {
  return version.state === 'sent' || version.state === 'settled' || version.state === 'unknown'
}

/** The step at which the call first left the process, if it did. */
export function dispatchStep(operation: Operation): Step | undefined {
  return operation.versions.find(({ value }) => wasDispatched(value))?.step
}

/** Writes that left the process, in order of dispatch. */
export function dispatchedWrites(run: Run): { operation: Operation; step: Step }[] {
  return [...run.operations.values()]
    .filter((operation) => operation.effect === 'write')
    .flatMap((operation) => {
      const step = dispatchStep(operation)
      return step === undefined ? [] : [{ operation, step }]
    })
    .sort((a, b) => a.step - b.step)
}

/** True if the call is known to have had its effect: settled, or closed with what had landed by then. */
export function hasEffect(version: OperationVersion): boolean {
  return version.state === 'settled' || (version.state === 'closed' && hasResult(version))
}

/** True if the latest word on the call is that it had no effect: refused, or its key closed before it landed. */
export function hadNoEffect(operation: Operation): boolean {
  const version = latest(operation)
  return version.state === 'failed' || (version.state === 'closed' && !hasResult(version))
}

function hasResult({ result }: OperationVersion): boolean {
  return result !== undefined && result !== null
}
