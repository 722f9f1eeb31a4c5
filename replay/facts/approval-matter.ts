import { canonicalJson } from '../../model/hash.ts'
import { fromJsonText, isObject, textOf } from '../../model/json.ts'
import { oncePerRun } from '../once-per-run.ts'
import { Remembered } from '../remembered.ts'
import type { Approval, ApprovalVersion, Operation, Run } from '../run.ts'
import { effectArguments } from './effects.ts'
import { compareScope } from './scope.ts'
import { plainName, sameTool, toolKeys } from './tool-names.ts'

/** What an approval is about: an action with its scope, and the operation that waits for it. */
export type Matter = {
  action?: string | undefined
  scope?: unknown
  /** The scope as text, for comparing. */
  scopeText: string
  operation?: Operation | undefined
}

// Questions are compared with each other and with every call; what they are about is worked out once.
const matters = new Remembered<ApprovalVersion, Matter>()

export function matterOf(run: Run, approval: Approval, version: ApprovalVersion): Matter {
  let matter = matters.get(version)
  if (matter === undefined) {
    const { action, scope } = version
    matter = {
      action,
      scope,
      scopeText: canonicalJson(scope ?? null),
      operation: waitingOperation(run, approval),
    }
    matters.set(version, matter)
  }
  return matter
}

/** The operation that waits for it. A decision may come under the id of the model's call, or of the operation. */
export function waitingOperation(run: Run, approval: Approval): Operation | undefined {
  if (approval.for !== undefined) return run.operations.get(approval.for)
  return run.operations.get(approval.id) ?? callIndex(run).get(approval.id)
}

const callIndex = oncePerRun((run) => {
  const index = new Map<string, Operation>()
  for (const operation of run.operations.values()) {
    if (operation.call !== undefined && !index.has(operation.call)) index.set(operation.call, operation)
  }
  return index
})

/** True if the operation does what the approval is about, whoever makes it and under whatever id and key. */
export function doesMatter(matter: Matter, operation: Operation): boolean {
  if (operation === matter.operation) return true
  const { operation: waiting, action, scope } = matter
  const isTool = (name: string | undefined) =>
    name !== undefined && name !== '' && sameTool(name, operation.tool)
  if (!isTool(waiting?.tool) && !isTool(action)) return false
  if (waiting !== undefined) {
    const same = plainArgumentsOf(waiting).text === plainArgumentsOf(operation).text
    return same || extendsCall(waiting, operation)
  }
  if (scope === undefined || scope === null) return true
  return compareScope(scope, operation.args).verdict === 'same'
}

/** Arguments without the key, as text: whole, and by name where they are an object. */
export type PlainArguments = { text: string; fields?: ReadonlyMap<string, string> | undefined }

// Many approvals are compared with many calls; the text of each is made once.
const plainArguments = new Remembered<Operation, PlainArguments>()

export function plainArgumentsOf(operation: Operation): PlainArguments {
  let known = plainArguments.get(operation)
  if (known === undefined) {
    const args = effectArguments(fromJsonText(operation.args), operation.key)
    const texts = (value: unknown) => canonicalJson(value ?? null)
    known = {
      text: canonicalJson(args),
      fields: isObject(args)
        ? new Map(Object.entries(args).map(([name, value]) => [name, texts(value)]))
        : undefined,
    }
    plainArguments.set(operation, known)
  }
  return known
}

/** Every argument of the waiting call, and more. */
function extendsCall(waiting: Operation, operation: Operation): boolean {
  const less = plainArgumentsOf(waiting).fields
  const more = plainArgumentsOf(operation).fields
  if (less === undefined || more === undefined || less.size === 0) return false
  for (const [name, text] of less) if (text !== (more.get(name) ?? 'null')) return false
  return true
}

/** True if two approvals ask for the same: for one operation, or the same action with the same scope. */
export function isSameRequest(a: Matter, b: Matter): boolean {
  const scoped = a.scope !== undefined && b.scope !== undefined
  const sameScope = a.scopeText === b.scopeText
  if (a.operation !== undefined && b.operation !== undefined) {
    return a.operation === b.operation && (!scoped || sameScope)
  }
  return a.action !== undefined && a.action === b.action && sameScope
}

/** The tool and arguments that a person was shown, where the log says it. */
export function shownTo(version: ApprovalVersion): { tool?: string | undefined; args?: unknown } | undefined {
  const shown = fromJsonText(version.shown)
  if (!isObject(shown)) return undefined
  return {
    tool: textOf(shown.tool) ?? textOf(shown.action) ?? textOf(shown.name),
    args: shown.args ?? shown.arguments ?? shown.input ?? shown.scope,
  }
}

/** The operations that name the approval, or do what it is about. */
export function operationsOf(run: Run, approval: Approval, matter: Matter): Operation[] {
  const { byTool, byApproval } = operationIndex(run)
  const found = new Set(byApproval.get(approval.id))
  if (matter.operation !== undefined) found.add(matter.operation)
  for (const name of [matter.operation?.tool, matter.action]) {
    for (const key of name === undefined ? [] : toolKeys(name)) {
      const candidates = alikeBy(run, key, matter.operation) ?? byTool.get(key) ?? []
      for (const operation of candidates) if (doesMatter(matter, operation)) found.add(operation)
    }
  }
  return [...found]
}

/**
 * The operations of a tool that agree with the waiting one in the argument that tells most; undefined if no argument
 * tells anything. A call with the same arguments, or the same and more, is among them.
 */
function alikeBy(run: Run, tool: string, waiting: Operation | undefined): readonly Operation[] | undefined {
  const fields = waiting && plainArgumentsOf(waiting).fields
  if (fields === undefined) return undefined
  const index = argumentsOfTool(run, tool)
  let fewest: readonly Operation[] | undefined
  for (const [name, text] of fields) {
    // An argument that is null may as well be left out.
    if (text === 'null') continue
    const operations = index.get(`${name}\u0000${text}`) ?? []
    if (fewest === undefined || operations.length < fewest.length) fewest = operations
  }
  return fewest
}

type ArgumentIndex = Map<string, Operation[]>

const argumentIndexes = oncePerRun(() => new Map<string, ArgumentIndex>())

/** The operations of a tool by each of their arguments, name and value. */
function argumentsOfTool(run: Run, tool: string): ArgumentIndex {
  const known = argumentIndexes(run).get(tool)
  if (known !== undefined) return known
  const index: ArgumentIndex = new Map()
  for (const operation of operationIndex(run).byTool.get(tool) ?? []) {
    for (const [name, text] of plainArgumentsOf(operation).fields ?? [])
      add(index, `${name}\u0000${text}`, operation)
  }
  argumentIndexes(run).set(tool, index)
  return index
}

/** The operations that name the approval. */
export function operationsNaming(run: Run, approval: Approval): readonly Operation[] {
  return operationIndex(run).byApproval.get(approval.id) ?? []
}

/** True if some call in the run was of a tool by that name. */
export function isKnownTool(run: Run, name: string): boolean {
  return operationIndex(run).byTool.has(plainName(name))
}

type OperationIndex = { byTool: Map<string, Operation[]>; byApproval: Map<string, Operation[]> }

const operationIndex = oncePerRun((run) => {
  const index: OperationIndex = { byTool: new Map(), byApproval: new Map() }
  for (const operation of run.operations.values()) {
    for (const key of toolKeys(operation.tool)) add(index.byTool, key, operation)
    for (const id of new Set(operation.versions.map(({ value }) => value.approval))) {
      if (id !== undefined) add(index.byApproval, id, operation)
    }
  }
  return index
})

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}
