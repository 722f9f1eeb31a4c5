import { canonicalJson } from '../../model/hash.ts'
import { fromJsonText } from '../../model/json.ts'
import type { RecordOperation } from '../../model/record.ts'
import { argumentValues } from '../argument-values.ts'
import { effectOf, effectOfCall } from '../facts/effects.ts'
import { type RecordIndex, recordIndex } from '../facts/record-index.ts'
import { readState } from '../fold/operation-state.ts'
import { isInDoubt } from '../history.ts'
import type { Operation, OperationVersion, Receipt, Step } from '../run.ts'
import { findValue, type PayloadText, placeHolds } from '../text.ts'
import type { Degree, Evidence } from './handoff-diff.ts'
import { findMention } from './mention.ts'

/** How far an operation crossed, and what that rests on. */
export type DegreeOfCrossing = {
  degree: Degree
  differences: { field: string; sent: unknown; received: unknown }[]
  matched?: string | undefined
  guess: boolean
  evidence: Evidence[]
}

/**
 * The degree of crossing of one operation (carried, altered, key in words, described, mentioned, absent), tried from the
 * best to the worst. `texts` is everything the receiver's model could read, `wished` the words of the user.
 */
export function degreeOf(
  operation: Operation,
  version: OperationVersion,
  receipt: Receipt,
  texts: readonly PayloadText[],
  wished: ReadonlySet<string>,
): DegreeOfCrossing {
  return (
    inRecord(operation, version, receipt) ??
    keyInWords(version.key, receipt.step, texts) ??
    described(operation, receipt.step, texts) ??
    (isInDoubt(operation, version) ? mentioned(operation, receipt.step, texts, wished) : undefined) ?? {
      degree: 'absent',
      differences: [],
      guess: false,
      evidence: [],
    }
  )
}

/** True if the record that was received has an entry for the operation. */
export function isRecorded(operation: Operation, { key }: OperationVersion, { record }: Receipt): boolean {
  if (record === undefined) return false
  const lists = [recordIndex(record, 'open_operations'), recordIndex(record, 'completed_effects')]
  return lists.some((index) => (key === undefined ? index.hasOp(operation.op) : index.hasKey(key)))
}

/** The record's entry for an operation: by key, or by op id where the sender has no key to compare. */
function recordEntry(
  operation: Operation,
  version: OperationVersion,
  receipt: Receipt,
): { entry: RecordOperation; list: 'open' | 'completed' } | undefined {
  const { record } = receipt
  if (record === undefined) return undefined
  const find = (index: RecordIndex) =>
    version.key === undefined ? index.byOp(operation.op) : index.byKey(version.key)
  const open = find(recordIndex(record, 'open_operations'))
  if (open !== undefined) return { entry: open, list: 'open' }
  const completed = find(recordIndex(record, 'completed_effects'))
  return completed === undefined ? undefined : { entry: completed, list: 'completed' }
}

function inRecord(
  operation: Operation,
  version: OperationVersion,
  receipt: Receipt,
): DegreeOfCrossing | undefined {
  const found = recordEntry(operation, version, receipt)
  if (found === undefined) return undefined
  const { entry, list } = found
  const differences: DegreeOfCrossing['differences'] = []
  if (entry.tool !== undefined && operation.tool !== '' && entry.tool !== operation.tool) {
    differences.push({ field: 'tool', sent: operation.tool, received: entry.tool })
  }
  if (
    entry.args !== undefined &&
    version.args !== undefined &&
    canonicalJson(fromJsonText(entry.args)) !== canonicalJson(fromJsonText(version.args))
  ) {
    differences.push({ field: 'args', sent: version.args, received: entry.args })
  }
  const state = entry.state ?? (list === 'completed' ? 'settled' : undefined)
  if (state !== undefined && stateClass(state) !== stateClass(version.state)) {
    differences.push({ field: 'state', sent: version.state, received: state })
  }
  const evidence: Evidence[] = [{ step: receipt.step, path: entry.path, side: 'receiver' }]
  // Without a key nothing can be settled: the entry then only tells of the call.
  if (version.key === undefined) return { degree: 'described', differences, guess: false, evidence }
  return { degree: differences.length > 0 ? 'altered' : 'carried', differences, guess: false, evidence }
}

/** `sent` and `unknown` say the same to a receiver (in doubt), and so does a closed key to one that was told. */
export function stateClass(word: string): string {
  const state = readState(word)
  return state === 'sent' || state === 'unknown' || state === 'closed' ? 'in doubt' : state
}

function keyInWords(
  key: string | undefined,
  step: Step,
  texts: readonly PayloadText[],
): DegreeOfCrossing | undefined {
  const found = key === undefined ? undefined : findValue(texts, key)
  if (found === undefined) return undefined
  return {
    degree: 'key in words',
    differences: [],
    matched: key,
    guess: false,
    evidence: [at(step, found, key)],
  }
}

function described(
  operation: Operation,
  step: Step,
  texts: readonly PayloadText[],
): DegreeOfCrossing | undefined {
  const effect = effectOf(operation)
  const values = argumentValues(operation.args)
  const found = texts.find((place) => {
    const { item } = place
    // A hosted call has a type of its own; what names the operation or its call describes it as well.
    if (item !== undefined) {
      if (item.op !== undefined && item.op === operation.op) return true
      if (item.call !== undefined && item.call === operation.call) return true
    }
    if (item?.type === 'tool_call') {
      return item.tool === operation.tool && effectOfCall(operation.tool, item.args, operation.key) === effect
    }
    return namesCall(place, operation.tool, values)
  })
  if (found === undefined) return undefined
  return {
    degree: 'described',
    differences: [],
    matched: operation.tool,
    guess: false,
    evidence: [at(step, found, operation.tool)],
  }
}

/** The tool's name and all its argument values stand in one text. */
function namesCall(place: PayloadText, tool: string, values: readonly string[]): boolean {
  if (tool === '' || values.length === 0) return false
  return values.every((value) => place.text.includes(value)) && placeHolds(place, tool)
}

function mentioned(
  operation: Operation,
  step: Step,
  texts: readonly PayloadText[],
  wished: ReadonlySet<string>,
): DegreeOfCrossing | undefined {
  const mention = findMention(operation, texts, wished)
  if (mention === undefined) return undefined
  return {
    degree: 'mentioned',
    differences: [],
    matched: mention.matched,
    guess: true,
    evidence: [at(step, mention.text, mention.matched)],
  }
}

function at(step: Step, text: PayloadText, matched: string | undefined): Evidence {
  return { step, path: text.path, side: 'receiver', ...(matched === undefined ? {} : { text: matched }) }
}
