import { normaliseText } from '../../model/hash.ts'
import type { Item } from '../../model/items.ts'
import { jsonString } from '../../model/json-text.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { latest, valueAt } from '../history.ts'
import type { Operation, Run } from '../run.ts'
import { payloadTexts, wordsOf } from '../text.ts'
import { latestReceipt } from './participation.ts'
import { isTransferTool } from './plumbing.ts'
import { textsKnownBefore } from './times-said.ts'

/** What a return brought nothing of: the last words or result among the sender's items, or a call of its own. */
export type UndeliveredResult = { item?: Item | undefined; operation?: Operation | undefined }

/** The result of a return of which the receiver got nothing in any form; undefined if there was none, or it was told. */
export function undeliveredResult(run: Run, diff: HandoffDiff): UndeliveredResult | undefined {
  const { handoff, sent, receipt } = diff
  if (handoff.mode !== 'return' || sent === undefined || receipt?.items === undefined) return undefined
  const item = resultItem(diff)
  const operation = item === undefined ? settledCall(run, diff) : undefined
  if (item === undefined && operation === undefined) return undefined
  if (recordTells(diff) || (item !== undefined && isThere(item, diff)) || hasNewWords(run, diff, item))
    return undefined
  return { item, operation }
}

/** The last thing that the sender said or got; what the user said, or a transfer, is no result. */
function resultItem({ sent, handoff }: HandoffDiff): Item | undefined {
  const transfers = new Set(
    (sent!.items ?? []).flatMap(({ tool, call }) => (isTransferTool(tool) ? [call] : [])),
  )
  return sent!.items?.findLast(
    (item) =>
      item.text.trim() !== '' &&
      (item.type === 'tool_result'
        ? !transfers.has(item.call)
        : item.type === 'message' && item.role === 'assistant') &&
      (item.author === undefined || handoff.from === undefined || item.author === handoff.from),
  )
}

/** A call of the sender's that settled after it got the task, where its items show nothing. */
function settledCall(run: Run, { handoff, sent }: HandoffDiff): Operation | undefined {
  if ((sent!.items?.length ?? 0) > 0) return undefined
  const began = latestReceipt(run, handoff.from, sent!.step)?.receipt.step
  if (began === undefined) return undefined
  return [...run.operations.values()].findLast(
    (operation) =>
      operation.agent === handoff.from &&
      operation.versions[0]!.step > began &&
      valueAt(operation, sent!.step)?.state === 'settled' &&
      latest(operation).result !== undefined,
  )
}

function recordTells({ receipt }: HandoffDiff): boolean {
  const record = receipt!.record
  if (record === undefined) return false
  const { status, evidence, result } = record.raw
  const told = [status, evidence, result].some((value) => jsonString(value ?? null).length > 4)
  return (
    told ||
    record.completedEffects.length > 0 ||
    record.openOperations.length > 0 ||
    record.pendingActions.length > 0
  )
}

function isThere(item: Item, { receipt, items }: HandoffDiff): boolean {
  if (
    items.fates.some(
      ({ before, after, fate }) => before === item && (after !== undefined || fate === 'folded'),
    )
  )
    return true
  const text = item.text.trim()
  return text.length > 1 && payloadTexts(receipt!).some((place) => place.text.includes(text))
}

// A report says more than this; a notice that the work is done does not.
const WORDS_OF_A_NOTICE = 6

/** A few words that name neither a figure nor an id nor any word of a result that has some: a notice that it is done. */
function saysNothingOf(text: string, result: string): boolean {
  const words = wordsOf(text)
  if (words.size > WORDS_OF_A_NOTICE || !/\p{N}/u.test(result)) return false
  return ![...wordsOf(result)].some((word) => (word.length > 3 || /\p{N}/u.test(word)) && words.has(word))
}

/** Words or files at the receiver that are not the user's, not the framework's, and that it did not have before. */
function hasNewWords(run: Run, { receipt, items, handoff }: HandoffDiff, result: Item | undefined): boolean {
  const known = textsKnownBefore(run, receipt!)
  const transfers = new Set(receipt!.items!.flatMap(({ tool, call }) => (isTransferTool(tool) ? [call] : [])))
  const added = items.judged
    ? items.fates.flatMap(({ before, after }) => (before === undefined && after !== undefined ? [after] : []))
    : receipt!.items!
  return added.some((item) => {
    if (
      item.role === 'user' ||
      item.role === 'system' ||
      item.type === 'constraint' ||
      item.type === 'tool_call'
    )
      return false
    if (item.type === 'tool_result' && transfers.has(item.call)) return false
    if (item.origin?.kind === 'framework' || item.text.trim() === '') return false
    if (known.has(normaliseText(item.text))) return false
    if (result !== undefined && saysNothingOf(item.text, result.text)) return false
    // Words of a third agent, or of the receiver itself, were there before.
    return item.author === undefined ? item.type !== 'approval' : item.author === handoff.from
  })
}
