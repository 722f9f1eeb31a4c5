import type { Item } from '../../model/items.ts'
import { isObject, textOf } from '../../model/json.ts'
import { waitingOperation } from '../facts/approval-matter.ts'
import { namesOfType, pairNames, pairsInOrder } from '../facts/pairs-in-order.ts'
import { handsOver } from '../facts/tool-names.ts'
import { passesControl } from '../fold/fold-handoffs.ts'
import { valueAt } from '../history.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Handoff, Operation, Run, Step } from '../run.ts'
import type { ApprovalCrossing } from './handoff-diff.ts'

/** Call types whose result is another item; a hosted call such as `code_call` carries its result in itself. */
const CALL = 'tool_call'
const RESULT = 'tool_result'

/**
 * Items that stand without their partner in the receiver's list, with the reason. A call that waits at that step (its
 * operation is not settled, it needs a yes, or it is the delegation itself) has no result yet and is no orphan, unless the
 * question did not cross with the task: then nobody waits for the answer.
 */
export function orphansOf(
  run: Run,
  items: readonly Item[],
  step: Step,
  handoff: Handoff,
  approvals: readonly ApprovalCrossing[],
): Map<Item, string> {
  const stranded = strandedReasoning(handoff.sent?.items ?? [], items)
  const calls = namesOfType(items, CALL)
  const results = namesOfType(items, RESULT)
  const inOrder = pairsInOrder(items)
  const lostPartner = partnersLost(handoff.sent?.items ?? [], items)
  const ids = new Set(items.map(({ id }) => id))
  const forgotten = passesControl(handoff) ? unasked(run, approvals) : new Set<Operation | undefined>()
  let waiting: Set<string> | undefined
  const waits = (item: Item) => {
    waiting ??= waitingCalls(items, handoff)
    if (isDelegation(item, handoff)) return true
    return namesOfCall(item).some((name) => waiting!.has(name) || isOpen(run, name, step, forgotten))
  }
  const orphans = new Map<Item, string>()
  const reports = reportsIn(run, items, handoff)
  for (const item of items) {
    if (reports.has(item)) continue
    const partners = item.type === CALL ? results : item.type === RESULT ? calls : undefined
    if (partners !== undefined) {
      if (inOrder.has(item) || pairNames(item).some((name) => partners.has(name))) continue
      if (pairNames(item).length === 0 && !lostPartner(item)) continue
      if (item.type === RESULT) orphans.set(item, 'a result without its call')
      else if (!answersItself(item) && !waits(item)) orphans.set(item, 'a call without its result')
    } else if (item.type === 'reasoning') {
      const needs = isObject(item.raw) ? textOf(item.raw.needs) : undefined
      if (needs === undefined ? stranded.has(item.id) : !ids.has(needs))
        orphans.set(item, 'reasoning without the item that it needs')
    }
  }
  return orphans
}

/**
 * A return that brings nothing but the result of the call that gave the task away: whoever gets it made that call, and
 * has it in the history that this is added to. Behind other items it would have to stand behind its call.
 */
function reportsIn(run: Run, items: readonly Item[], { mode, receipts }: Handoff): Set<Item> {
  if (mode !== 'return') return new Set()
  const end = items.findIndex(({ type }) => type !== RESULT)
  const by = receipts.at(-1)?.by
  const delegations = run.handoffs.filter((other) => other.mode === 'delegate' && other.from === by)
  const calls = new Set(delegations.map(({ sent }) => sent?.event.call))
  const leading = end < 0 ? items : items.slice(0, end)
  return new Set(leading.filter(({ call }) => call !== undefined && calls.has(call)))
}

/**
 * Ids of reasoning that crossed while the call behind it stayed where it was. Providers that number their reasoning take
 * it only together with the item that it led to.
 */
function strandedReasoning(before: readonly Item[], after: readonly Item[]): Set<string | undefined> {
  const stranded = new Set<string | undefined>()
  if (!before.some(({ type }) => type === 'reasoning')) return stranded
  const crossed = new Set(after.flatMap(pairNames))
  before.forEach(({ type, id }, index) => {
    if (type !== 'reasoning' || id === undefined) return
    const follower = before.slice(index + 1).find((item) => item.type !== 'reasoning')
    if (follower?.type !== CALL || pairNames(follower).length === 0) return
    if (!pairNames(follower).some((name) => crossed.has(name))) stranded.add(id)
  })
  return stranded
}

/** Without an id nothing tells that an answer is still to come, unless the sender had one more of the tool's. */
function partnersLost(before: readonly Item[], after: readonly Item[]): (item: Item) => boolean {
  const count = (items: readonly Item[], type: string, tool: string) =>
    items.filter((item) => item.type === type && item.tool === tool).length
  return ({ type, tool }) => {
    const other = type === CALL ? RESULT : CALL
    return tool !== undefined && count(before, other, tool) > count(after, other, tool)
  }
}

/** Without an id a call is known by its tool. */
function namesOfCall(item: Pick<Item, 'call' | 'op' | 'tool'>): string[] {
  const named = pairNames(item)
  return named.length === 0 && item.tool !== undefined ? [`tool ${item.tool}`] : named
}

/** A call without an id that gave the task to the receiver, which answers it at the end. */
function isDelegation({ call, tool }: Item, handoff: Handoff): boolean {
  return (
    call === undefined &&
    tool !== undefined &&
    !passesControl(handoff) &&
    handsOver(tool, undefined, [handoff])
  )
}

/** Some runtimes keep the output of a call in the call. */
function answersItself({ raw }: Item): boolean {
  return (
    isObject(raw) &&
    !Array.isArray(raw.content) &&
    ['output', 'outputs', 'result', 'response', 'error'].some(
      (field) => (raw[field] ?? undefined) !== undefined,
    )
  )
}

/** Operations that wait for a yes of which the receiver knows nothing. */
function unasked(run: Run, approvals: readonly ApprovalCrossing[]): Set<Operation | undefined> {
  const lost = approvals.filter(({ verdict, version }) => verdict === 'absent' && version.state === 'pending')
  return new Set(lost.map(({ approval }) => waitingOperation(run, approval)))
}

/** True if an operation of that name has not come to an end by the step. */
function isOpen(run: Run, name: string, step: Step, forgotten: ReadonlySet<Operation | undefined>): boolean {
  return (operationsByName(run).get(name) ?? []).some((operation) => {
    const state = valueAt(operation, step)?.state
    if (state === 'proposed') return !forgotten.has(operation)
    return state === 'sent' || state === 'unknown'
  })
}

const operationsByName = oncePerRun((run) => {
  const named = new Map<string, Operation[]>()
  for (const operation of run.operations.values()) {
    for (const name of [...pairNames(operation), `tool ${operation.tool}`]) {
      const known = named.get(name)
      if (known === undefined) named.set(name, [operation])
      else known.push(operation)
    }
  }
  return named
})

function waitingCalls(items: readonly Item[], handoff: Handoff): Set<string> {
  const delegation = passesControl(handoff) ? undefined : handoff.sent?.event.call
  const waiting = new Set(delegation === undefined ? [] : [`call ${delegation}`])
  for (const item of items) {
    const raw = isObject(item.raw) ? item.raw : {}
    if (!item.type.includes('approval') || (raw.state !== undefined && raw.state !== 'pending')) continue
    for (const name of namesOfCall(item)) waiting.add(name)
    const subject = textOf(raw.for)
    if (subject !== undefined) waiting.add(`op ${subject}`).add(`call ${subject}`)
  }
  return waiting
}
