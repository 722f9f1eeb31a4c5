import type { Item } from '../../model/items.ts'
import { isObject, textOf } from '../../model/json.ts'
import { latest } from '../history.ts'
import type { Run } from '../run.ts'

/** Call types whose result is another item; a hosted call such as `code_call` carries its result in itself. */
const CALL = 'tool_call'
const RESULT = 'tool_result'

/**
 * Why an item stands without its partner in the receiver's list, or undefined. A call that waits (its operation is not
 * settled, or it needs a yes) has no result yet and is no orphan.
 */
export function orphanReason(run: Run, item: Item, items: readonly Item[]): string | undefined {
  if (item.type === CALL && item.call !== undefined) {
    const answered = items.some((other) => other.type === RESULT && other.call === item.call)
    return answered || isWaiting(run, item) ? undefined : 'a call without its result'
  }
  if (item.type === RESULT && item.call !== undefined) {
    const called = items.some((other) => other.type === CALL && other.call === item.call)
    return called ? undefined : 'a result without its call'
  }
  if (item.type !== 'reasoning') return undefined
  const needs = isObject(item.raw) ? textOf(item.raw.needs) : undefined
  if (needs === undefined) return undefined
  const follows = items.some((other) => other.id === needs && other.position > item.position)
  return follows ? undefined : 'reasoning without the item that it needs'
}

function isWaiting(run: Run, item: Item): boolean {
  for (const operation of run.operations.values()) {
    if (operation.op !== item.op && (operation.call === undefined || operation.call !== item.call)) continue
    const { state } = latest(operation)
    if (state === 'proposed' || state === 'sent' || state === 'unknown') return true
  }
  return false
}
