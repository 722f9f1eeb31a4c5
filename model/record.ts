import { idOf, isObject, listOf, textOf } from './json.ts'
import { type Principal, readPrincipal } from './principal.ts'

/** An operation as a record names it. */
export type RecordOperation = {
  op?: string | undefined
  tool?: string | undefined
  args?: unknown
  key?: string | undefined
  state?: string | undefined
  result?: unknown
  /** Where it stands, for evidence: `record.open_operations[0]`. */
  path: string
}

/** A constraint as a record names it. */
export type RecordConstraint = {
  id?: string
  text?: string
  check?: unknown
  hash?: string
  state?: string
  path: string
}

/** An action that waits for a decision, as a record names it. */
export type RecordApproval = {
  id?: string
  action?: string
  scope?: unknown
  for?: string
  state?: string
  by?: string
  path: string
}

/** A promise as a record names it. */
export type RecordCommitment = { id?: string; text?: string; state?: string; path: string }

/**
 * A record with its short forms understood: constraints that are plain strings, an origin that is a word. `fields`
 * holds the names of the fields that are there, empty or not; `raw` the record as it came.
 */
export type HandoffRecord = {
  raw: Record<string, unknown>
  fields: string[]
  origin?: Principal | undefined
  constraints: RecordConstraint[]
  openOperations: RecordOperation[]
  completedEffects: RecordOperation[]
  pendingActions: RecordApproval[]
  commitments: RecordCommitment[]
}

/** Reads a record; undefined if none crossed. Entries of a wrong shape are passed over, the rest is read. */
export function readRecord(raw: unknown): HandoffRecord | undefined {
  if (!isObject(raw)) return undefined
  let completed: RecordOperation[] | undefined
  return {
    raw,
    fields: Object.keys(raw),
    origin: readPrincipal(raw.origin),
    constraints: entries(raw, 'constraints', constraint),
    openOperations: entries(raw, 'open_operations', readRecordOperation),
    // Read when somebody asks: the record of a long run lists every effect so far, at every handoff and on both sides.
    get completedEffects() {
      completed ??= entries(raw, 'completed_effects', readRecordOperation)
      return completed
    },
    pendingActions: entries(raw, 'pending_actions', approval),
    commitments: entries(raw, 'commitments', commitment),
  }
}

function entries<T>(
  raw: Record<string, unknown>,
  field: string,
  read: (value: unknown, path: string) => T | undefined,
): T[] {
  const out: T[] = []
  listOf(raw[field]).forEach((value, index) => {
    const entry = read(value, `record.${field}[${index}]`)
    if (entry !== undefined) out.push(entry)
  })
  return out
}

function constraint(value: unknown, path: string): RecordConstraint | undefined {
  if (typeof value === 'string') return { text: value, path }
  if (!isObject(value)) return undefined
  return {
    ...ids(value),
    ...pick(value, 'text', 'hash', 'state'),
    ...(value.check === undefined ? {} : { check: value.check }),
    path,
  }
}

/** Reads one entry of `open_operations` or `completed_effects`; undefined if it is of a wrong shape. */
export function readRecordOperation(value: unknown, path: string): RecordOperation | undefined {
  // A bare string is the shortest honest form: the key alone.
  if (typeof value === 'string' || typeof value === 'number') return { key: String(value), path }
  if (!isObject(value)) return undefined
  const entry: RecordOperation = { path }
  const op = idOf(value.op)
  const tool = textOf(value.tool)
  const key = idOf(value.key)
  const state = textOf(value.state)
  if (op !== undefined) entry.op = op
  if (tool !== undefined) entry.tool = tool
  if (value.args !== undefined) entry.args = value.args
  if (key !== undefined) entry.key = key
  if (state !== undefined) entry.state = state
  if (value.result !== undefined) entry.result = value.result
  return entry
}

function approval(value: unknown, path: string): RecordApproval | undefined {
  if (typeof value === 'string' || typeof value === 'number') return { id: String(value), path }
  if (!isObject(value)) return undefined
  return {
    ...ids(value),
    ...pick(value, 'action', 'for', 'state', 'by'),
    ...(value.scope === undefined ? {} : { scope: value.scope }),
    path,
  }
}

function commitment(value: unknown, path: string): RecordCommitment | undefined {
  if (typeof value === 'string') return { text: value, path }
  if (!isObject(value)) return undefined
  return { ...ids(value), ...pick(value, 'text', 'state'), path }
}

function ids(value: Record<string, unknown>): { id?: string } {
  return pick(value, 'id')
}

function pick<K extends string>(value: Record<string, unknown>, ...names: K[]): { [P in K]?: string } {
  const out: { [P in K]?: string } = {}
  for (const name of names) {
    const text = idOf(value[name])
    if (text !== undefined) out[name] = text
  }
  return out
}
