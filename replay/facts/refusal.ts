import { normaliseText } from '../../model/hash.ts'
import { jsonString } from '../../model/json-text.ts'
import type { Approval, ApprovalVersion, Receipt } from '../run.ts'
import { containsValue, type PayloadText } from '../text.ts'

const REFUSED =
  /\b(rejected|declined|refused|turned (it |this |that )?down|disapproved|vetoed|said no|did not approve|didn't approve|not approved)\b/iu
const PERSON =
  /\b(user|owner|human|person|customer|client|operator|reviewer|approver|manager|admin|caller)\b/iu
const REASON_FROM = 6

/**
 * Where the receiver can read that a person refused: the refusal's own words, its author, or a sentence that says that a
 * person said no. That something did not work, or was not permitted, says no such thing.
 */
export function refusalInWords(
  version: ApprovalVersion,
  texts: readonly PayloadText[],
): PayloadText | undefined {
  const reason = normaliseText(version.reason ?? '')
  return texts.find(({ text }) => {
    if (reason.length >= REASON_FROM && normaliseText(text).includes(reason)) return true
    if (version.by !== undefined && containsValue(text, version.by)) return true
    return text.split(/(?<=[.!?])\s+|\n/u).some((sentence) => REFUSED.test(sentence) && PERSON.test(sentence))
  })
}

/** The record may list the refused action among what must not be tried again. */
export function refusalInRecord(
  approval: Approval,
  version: ApprovalVersion,
  receipt: Receipt,
): string | undefined {
  const { raw } = receipt.record ?? {}
  for (const field of ['rejected', 'attempted'] as const) {
    if (raw?.[field] === undefined) continue
    const text = jsonString(raw[field])
    const names = [version.action, approval.id, approval.for].filter((name) => name !== undefined)
    if (names.some((name) => containsValue(text, name!))) return `record.${field}`
  }
  return undefined
}
