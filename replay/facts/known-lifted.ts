import { type Item, textOfContent } from '../../model/items.ts'
import { isObject, listOf } from '../../model/json.ts'
import type { Operation, Receipt, Run } from '../run.ts'
import type { LiftedDenial } from './lifted-denials.ts'
import { recordIndex } from './record-index.ts'
import { concerns } from './tool-refusals.ts'

/** The end of it crossed as well: as a revoked rule, in words said since, or with what was done since. */
export function isKnownToBeLifted(run: Run, receipt: Receipt, denial: LiftedDenial): boolean {
  const { items = [], record, step } = receipt
  const { tool, rule, lifted } = denial
  const entries = [...items.map(({ raw }) => raw), ...listOf(record?.raw.constraints)].filter(isObject)
  const isRevocation = ({ id, constraint, state }: Record<string, unknown>) =>
    state === 'revoked' && rule !== undefined && (constraint ?? id) === rule.id
  const isToldNow = run.messages.some(({ step: at, event }) => {
    const words = at > lifted && at <= step ? textOfContent(event.content) : ''
    return (
      concerns(words, denial) &&
      items.some(({ id, text }) => (id !== undefined && id === event.id) || text === words)
    )
  })
  const isDone = [...run.operations.values()].some(
    (operation) =>
      operation.tool === tool && operation.versions[0]!.step > lifted && crossedAsDone(receipt, operation),
  )
  return entries.some(isRevocation) || isToldNow || isDone
}

function crossedAsDone({ items = [], record }: Receipt, { id, call }: Operation): boolean {
  const isResult = (item: Item) => item.op === id || (call !== undefined && item.call === call)
  if (items.some((item) => item.type === 'tool_result' && isResult(item))) return true
  return record !== undefined && recordIndex(record, 'completed_effects').hasOp(id)
}
