import { isObject } from '../../model/json.ts'
import { type Known, operationsBegunBy, operationsKnownAt } from '../facts/known-operations.ts'
import { stepsOf } from '../facts/steps-by-kind.ts'
import { isInDoubt } from '../history.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Handoff, Operation, OperationVersion, Receipt, Run, Sent, Step } from '../run.ts'
import { type PayloadText, wordsOf } from '../text.ts'
import { Crossing } from './crossing.ts'
import { degreeOf } from './degree.ts'
import type { OperationCrossing } from './handoff-diff.ts'
import { timingsOf } from './timings.ts'

/** How each operation that the sender's runtime knew crossed; the ones in doubt first, then in order of dispatch. */
export function diffOperations(
  run: Run,
  handoff: Handoff,
  sent: Sent,
  receipt: Receipt,
  texts: readonly PayloadText[],
): OperationCrossing[] {
  let wished: ReadonlySet<string> | undefined
  const degree = (operation: Operation, version: OperationVersion) => {
    wished ??= wordsOf((sent.items ?? []).map(({ role, text }) => (role === 'user' ? text : '')).join(' '))
    return degreeOf(operation, version, receipt, texts, wished)
  }
  const crossings = operationsOfSender(run, handoff, sent.step).map(({ operation, version }) => {
    const inDoubt = isInDoubt(operation, version) && !isTheHandoffItself(operation, handoff)
    const crossing = new Crossing(operation, version, inDoubt, degree)
    if (inDoubt) crossing.timings = timingsOf(run, crossing, receipt)
    return crossing
  })
  return [...crossings.filter((c) => c.inDoubt), ...crossings.filter((c) => !c.inDoubt)]
}

/** How many operations of the sender's own began by then and are not shown: what is in doubt always is. */
export function settledLeftOut(
  run: Run,
  handoff: Handoff,
  { step }: Sent,
  shown: readonly OperationCrossing[],
): number {
  const owners = handoff.from === undefined ? undefined : ownersOf(run, handoff, step)
  const isOwn = ({ agent }: Operation) => owners === undefined || agent === undefined || owners.has(agent)
  return operationsBegunBy(run, step, owners) - shown.filter(({ operation }) => isOwn(operation)).length
}

/**
 * What the sender's runtime had in its operations log: the calls of the sending agent, those nobody is named for, and
 * those that an earlier handoff had carried to it. With no sender named, every call.
 */
function operationsOfSender(run: Run, handoff: Handoff, step: Step): Known[] {
  const { from } = handoff
  if (from === undefined) return operationsKnownAt(run, handoff, step, undefined, new Set())
  return operationsKnownAt(run, handoff, step, ownersOf(run, handoff, step), inheritedKeys(run, from, step))
}

/**
 * Whose operations the sending runtime knows: the sender's own. A resume is sent by whatever restarts the work, so there
 * it is also the log of the agent that goes on, and of one that crashed.
 */
function ownersOf(run: Run, handoff: Handoff, step: Step): Set<string | undefined> {
  const owners = new Set([handoff.from])
  if (handoff.mode !== 'resume') return owners
  owners.add(handoff.to)
  for (const crash of stepsOf(run, 'process.crash')) if (crash < step) owners.add(run.events[crash]!.agent)
  return owners
}

/** Keys (or op ids) in the open operations of the records that the agent had received by then. */
function inheritedKeys(run: Run, agent: string, step: Step): Set<string> {
  const keys = new Set<string>()
  for (const carried of carriedTo(run).get(agent) ?? []) if (carried.step <= step) keys.add(carried.key)
  return keys
}

const carriedTo = oncePerRun((run) => {
  const carried = new Map<string, { step: Step; key: string }[]>()
  for (const { receipts } of run.handoffs) {
    for (const { by, step, record } of receipts) {
      for (const entry of record?.openOperations ?? []) {
        const key = entry.key ?? entry.op
        if (by === undefined || key === undefined) continue
        const known = carried.get(by)
        if (known === undefined) carried.set(by, [{ step, key }])
        else known.push({ step, key })
      }
    }
  }
  return carried
})

/** A delegation is often logged as a call as well; that call is what crosses, it need not be carried. */
function isTheHandoffItself(operation: Operation, handoff: Handoff): boolean {
  if (operation.call !== undefined && operation.call === handoff.sent?.event.call) return true
  const receiver = handoff.to ?? handoff.receipts[0]?.by
  if (receiver === undefined || operation.agent === receiver) return false
  return handsOver(operation) && namesAgent(operation, receiver)
}

const HANDS_OVER =
  /a2a|delegat|hand_?(off|over)|transfer|^(send_)?(task|message)s?([./_]send)?$|sub_?agent|^agent/iu

function handsOver({ tool }: Operation): boolean {
  return HANDS_OVER.test(tool.replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2').replace(/-/g, '_'))
}

/** The receiver is what the call is addressed to: one of its arguments as a whole, or the end of the tool's name. */
function namesAgent({ tool, args }: Operation, agent: string): boolean {
  if (isObject(args) && Object.values(args).includes(agent)) return true
  const plain = (word: string) => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  return plain(tool).endsWith(plain(agent))
}
