import { idOf, isObject, listOf } from '../../model/json.ts'
import { type HandoffRecord, type RecordOperation, readRecordOperation } from '../../model/record.ts'
import { Remembered } from '../remembered.ts'

/**
 * Finds the entries of one list of a record by key and by op id; of several under one name the first. Whoever asks by one
 * seldom asks by the other, so each is indexed when it is first asked for.
 */
export class RecordIndex {
  readonly #list: readonly unknown[]
  readonly #field: string
  readonly #places: { key?: ReadonlyMap<string, number>; op?: ReadonlyMap<string, number> } = {}

  constructor(list: readonly unknown[], field: string) {
    this.#list = list
    this.#field = field
  }

  hasKey(key: string): boolean {
    return this.#by('key').has(key)
  }

  hasOp(op: string): boolean {
    return this.#by('op').has(op)
  }

  byKey(key: string): RecordOperation | undefined {
    return this.#entry(this.#by('key').get(key))
  }

  byOp(op: string): RecordOperation | undefined {
    return this.#entry(this.#by('op').get(op))
  }

  #by(name: 'key' | 'op'): ReadonlyMap<string, number> {
    this.#places[name] ??= placesBy(this.#list, name)
    return this.#places[name]
  }

  #entry(index: number | undefined): RecordOperation | undefined {
    return index === undefined
      ? undefined
      : readRecordOperation(this.#list[index], entryPath(this.#field, index))
  }
}

function placesBy(list: readonly unknown[], field: 'key' | 'op'): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (let index = 0; index < list.length; index++) {
    const name = namesOf(list[index])[field]
    if (name !== undefined && !places.has(name)) places.set(name, index)
  }
  return places
}

type OperationList = 'open_operations' | 'completed_effects'

/** Where an entry stands, for evidence. */
export function entryPath(field: string, index: number): string {
  return `record.${field}[${index}]`
}

const NONE = { key: undefined, op: undefined }

/** What an entry is found by, without reading the rest of it. */
export function namesOf(entry: unknown): { key: string | undefined; op: string | undefined } {
  if (typeof entry === 'string' || typeof entry === 'number') return { key: String(entry), op: undefined }
  return isObject(entry) ? { key: idOf(entry.key), op: idOf(entry.op) } : NONE
}

// Each operation is looked up in the record of its handoff.
const indexes = new Remembered<HandoffRecord, Partial<Record<OperationList, RecordIndex>>>()

export function recordIndex(record: HandoffRecord, field: OperationList): RecordIndex {
  let known = indexes.get(record)
  if (known === undefined) {
    known = {}
    indexes.set(record, known)
  }
  known[field] ??= new RecordIndex(listOf(record.raw[field]), field)
  return known[field]
}
