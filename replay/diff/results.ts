import { canonicalJson } from '../../model/hash.ts'
import type { Item } from '../../model/items.ts'
import { isObject, listOf } from '../../model/json.ts'
import { jsonString } from '../../model/json-text.ts'
import { type HandoffRecord, type RecordOperation, readRecordOperation } from '../../model/record.ts'
import type { EventOf } from '../../model/run-log.ts'
import { argumentValues } from '../argument-values.ts'
import { groupBy } from '../facts/dispatches.ts'
import { effectOf, effectOfCall } from '../facts/effects.ts'
import { namesInLog } from '../facts/open-in-record.ts'
import { pairsInOrder } from '../facts/pairs-in-order.ts'
import { entryPath, namesOf, recordIndex } from '../facts/record-index.ts'
import { latest, valueAt } from '../history.ts'
import { oncePerRun } from '../once-per-run.ts'
import { Remembered } from '../remembered.ts'
import type { Operation, Receipt, Run, Sent, Step } from '../run.ts'
import { type PayloadText, payloadTexts, placeHolds } from '../text.ts'
import type { Evidence, HandoffDiff } from './handoff-diff.ts'

/** A settled operation whose result the sender had at the moment of sending, and where it had it. */
export type KnownResult = {
  operation: Operation
  /** The result as the sender's model read it, if it stood among the items. */
  item?: Item | undefined
  /** True if the sender's record lists it as completed. */
  recorded: boolean
  evidence: Evidence
}

/** Finds operations by what an item names: its op, the model's call, or else the effect of a call. */
export type OperationIndex = (
  item: { op?: string | undefined; call?: string | undefined; effect?: string | undefined },
  step: Step,
) => Operation | undefined

/** What a call says of its operation where the log does not tie them: tool and arguments. */
function callNames(call: Item | undefined): Parameters<OperationIndex>[0] {
  if (call?.tool === undefined) return {}
  return { op: call.op, call: call.call, effect: effectOfCall(call.tool, call.args, undefined) }
}

/** An index over all operations of a run; a call id that was used again means the latest operation known by then. */
export const indexOperations = oncePerRun((run): OperationIndex => {
  const byOp = new Map<string, Operation[]>()
  const byCall = new Map<string, Operation[]>()
  const byEffect = new Map<string, Operation[]>()
  const put = (names: Map<string, Operation[]>, name: string, operation: Operation) => {
    const known = names.get(name)
    if (known === undefined) names.set(name, [operation])
    else known.push(operation)
  }
  for (const operation of run.operations.values()) {
    put(byOp, operation.op, operation)
    if (operation.call !== undefined) put(byCall, operation.call, operation)
    else put(byEffect, effectOf(operation), operation)
  }
  let all: Map<string, Operation[]> | undefined
  return ({ op, call, effect }, step) => {
    const known = (names: Map<string, Operation[]>, name: string | undefined) =>
      name === undefined
        ? undefined
        : names.get(name)?.findLast((operation) => valueAt(operation, step) !== undefined)
    const named = known(byOp, op) ?? known(byCall, call) ?? known(byEffect, effect)
    // The log may have an id for a call that has none among the items.
    if (named !== undefined || op !== undefined || call !== undefined || effect === undefined) return named
    all ??= groupBy([...run.operations.values()], effectOf)
    return known(all, effect)
  }
})

// Several checks ask this of every handoff.
const known = new Remembered<HandoffDiff, ReadonlyMap<Operation, KnownResult>>()

/** The settled operations whose results the sender had among its items or in its record. */
export function knownResults(run: Run, diff: HandoffDiff): ReadonlyMap<Operation, KnownResult> {
  let results = known.get(diff)
  if (results === undefined) {
    results = findResults(run, diff, indexOperations(run))
    known.set(diff, results)
  }
  return results
}

/** A result among the sender's items, with the call that it answers and the operation of the log behind both. */
type Answer = { item: Item; call: Item | undefined; operation: Operation | undefined }

/** The results among the sender's items, whether or not the log has an operation for them. */
export function answersOf(run: Run, { items = [], step }: Sent): Answer[] {
  const find = indexOperations(run)
  const calls = new Map(items.filter(({ type }) => type === 'tool_call').map((item) => [item.call, item]))
  const inOrder = pairsInOrder(items)
  return items.flatMap((item) => {
    if (item.type !== 'tool_result') return []
    const call = inOrder.get(item) ?? calls.get(item.call ?? '')
    return [{ item, call, operation: find(item, step) ?? find(callNames(call), step) }]
  })
}

function findResults(run: Run, diff: HandoffDiff, find: OperationIndex): Map<Operation, KnownResult> {
  const { sent } = diff
  if (sent === undefined) return new Map()
  const known = new Map<Operation, KnownResult>()
  for (const { item, operation } of answersOf(run, sent)) {
    if (operation === undefined || valueAt(operation, sent.step)?.state !== 'settled') continue
    const evidence: Evidence = { step: sent.step, path: item.path, side: 'sender' }
    known.set(operation, { operation, item, recorded: false, evidence })
  }
  const compared = comparedOperations(diff)
  listOf(sent.record?.raw.completed_effects).forEach((entry, index) => {
    const operation = compared(namesOf(entry)) ?? onlyRecorded(run, diff, entry, find)
    if (operation === undefined || valueAt(operation, sent.step)?.state !== 'settled') return
    const path = entryPath('completed_effects', index)
    const evidence: Evidence = { step: sent.step, path, side: 'sender' }
    known.set(operation, { evidence, ...known.get(operation), operation, recorded: true })
  })
  return known
}

/** An effect with a result that the sender's record lists and the log holds nowhere, as the operation that it was. */
function onlyRecorded(
  run: Run,
  { sent, handoff }: HandoffDiff,
  entry: unknown,
  find: OperationIndex,
): Operation | undefined {
  const names = namesOf(entry)
  const op = names.op ?? names.key
  const logged = namesInLog(run)
  if (op === undefined || [names.op, names.key].some((name) => name !== undefined && logged.has(name)))
    return undefined
  const stated = readRecordOperation(entry, '')
  if (stated?.result === undefined) return undefined
  const { tool = '', args, key, result } = stated
  const effect = tool === '' ? undefined : effectOfCall(tool, args, key)
  if (find({ effect }, Number.MAX_SAFE_INTEGER) !== undefined) return undefined
  const event: EventOf<'operation'> = { run: run.id, kind: 'operation', op, stated: true }
  const value = { state: 'settled', agent: handoff.from, key, args, attempt: 1, result, event }
  return {
    ...{ id: op, op, tool, effect: 'write', effectAssumed: false, key, args, agent: handoff.from },
    ...{ sensitive: [], versions: [{ step: sent!.step, value }] },
  }
}

/** Finds the first operation compared at a handoff that an entry of a record names: by its key, else by its op id. */
function comparedOperations({
  operations,
}: HandoffDiff): (entry: Pick<RecordOperation, 'key' | 'op'>) => Operation | undefined {
  const byKey = new Map<string, Operation>()
  const byOp = new Map<string, Operation>()
  for (const { operation, version } of operations) {
    if (version.key !== undefined && !byKey.has(version.key)) byKey.set(version.key, operation)
    if (!byOp.has(operation.op)) byOp.set(operation.op, operation)
  }
  return ({ key, op }) => {
    if (key !== undefined) return byKey.get(key)
    return op === undefined ? undefined : byOp.get(op)
  }
}

/** True if the receiver has the result: as an item, in its record, in other words, or under a summary. */
export function resultCrossed({ operation, item }: Omit<KnownResult, 'evidence'>, receipt: Receipt): boolean {
  return (
    amongItems(operation, item, receipt) ||
    inRecord(operation, receipt) ||
    underSummary(operation, item, receipt) ||
    inWords(resultForms(operation, item), payloadTexts(receipt))
  )
}

function amongItems(operation: Operation, item: Item | undefined, receipt: Receipt): boolean {
  return (receipt.items ?? []).some((candidate) => {
    const same =
      (candidate.op !== undefined && candidate.op === operation.op) ||
      (candidate.call !== undefined && candidate.call === (item?.call ?? operation.call))
    if (!same || candidate.type === 'tool_call' || candidate.type === 'approval') return false
    // A result whose text was taken away is there in form only.
    return candidate.text !== '' || item === undefined || item.text === ''
  })
}

function inRecord(operation: Operation, { record }: Receipt): boolean {
  if (record === undefined) return false
  const names = [operation.key, operation.op, operation.call].filter((name) => name !== undefined)
  const completed = recordIndex(record, 'completed_effects')
  if (operation.key !== undefined && completed.hasKey(operation.key)) return true
  if (completed.hasOp(operation.op)) return true
  const rest = restOf(record)
  if (names.some((name) => rest.text.includes(jsonString(name)))) return true
  return inWords(resultForms(operation, undefined), [rest])
}

const rests = new Remembered<HandoffRecord, PayloadText>()

/** What a record tells of work besides its lists of operations. */
function restOf(record: HandoffRecord): PayloadText {
  let rest = rests.get(record)
  if (rest === undefined) {
    const { evidence, status, attempted } = record.raw
    rest = { path: 'record', text: canonicalJson([evidence ?? null, status ?? null, attempted ?? null]) }
    rests.set(record, rest)
  }
  return rest
}

/** A summary that names what it stands for covers that; one that does not may stand for all that is gone. */
function underSummary(operation: Operation, item: Item | undefined, receipt: Receipt): boolean {
  return (receipt.items ?? []).some((candidate) => {
    if (candidate.covers.length > 0) {
      return [item?.id, item?.call, operation.call, operation.op].some(
        (name) => name !== undefined && candidate.covers.includes(name),
      )
    }
    return /summary|compaction/iu.test(candidate.type)
  })
}

/** The texts by which a result would be recognised elsewhere; short ones stand anywhere and prove little. */
function resultForms(operation: Operation, item: Item | undefined): string[][] {
  const { result } = latest(operation)
  const forms: string[][] = []
  if (item !== undefined && item.text !== '') forms.push([item.text])
  if (typeof result === 'string' || typeof result === 'number') forms.push([String(result)])
  // Numbers and names of a structured result, in whatever order they are told.
  if (isObject(result) || Array.isArray(result))
    forms.push(argumentValues(result).filter((value) => value.length >= 2))
  return forms.filter((values) => values.length > 0)
}

function inWords(forms: readonly string[][], texts: readonly PayloadText[]): boolean {
  return forms.some((values) => texts.some((place) => values.every((value) => says(place, value))))
}

function says(place: PayloadText, value: string): boolean {
  const words = value.trim()
  const { text } = place
  if (words.length >= LONG) return text.includes(words.slice(0, LONG)) || placeHolds(place, words)
  return words.length < 3
    ? new RegExp(`(^|[^\\p{L}\\p{N}])${escapeRegExp(words)}($|[^\\p{L}\\p{N}])`, 'u').test(text)
    : placeHolds(place, words)
}

// Of a longer result its beginning tells that it crossed, whole or cut.
const LONG = 80

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
