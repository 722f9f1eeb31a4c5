import { textOfContent } from '../../model/items.ts'
import { isObject, listOf, textOf } from '../../model/json.ts'
import { argumentValues } from '../../replay/argument-values.ts'
import { attachmentsOf } from '../../replay/facts/attachments.ts'
import type { Receipt, Run, Step } from '../../replay/run.ts'
import type { Work } from './receiver-work.ts'

// Shorter texts stand in arguments and words by accident.
const SHORTEST = 3

/**
 * References that a receiver got (`evidence` of the record, attached files), and how many of them it used: the reference
 * stands in an argument of a call, or in a message, of its own before its next receipt.
 */
export function countReferences(
  run: Run,
  receipt: Receipt,
  until: Step,
  calls: readonly Work[],
): { received: number; used: number } {
  const names = referencesOf(receipt)
  if (names.size === 0) return { received: 0, used: 0 }
  const texts = [
    ...calls.flatMap(({ operation }) => argumentValues(operation.args)),
    ...run.messages
      .filter(({ step, event }) => step > receipt.step && step < until && event.agent === receipt.by)
      .map(({ event }) => textOfContent(event.content)),
  ]
  const used = [...names.values()].filter((forms) =>
    texts.some((text) => forms.some((form) => text.includes(form))),
  )
  return { received: names.size, used: used.length }
}

/** Each reference once, with every form in which it may be used. */
function referencesOf(receipt: Receipt): Map<string, string[]> {
  const references = new Map<string, string[]>()
  for (const entry of listOf(receipt.record?.raw.evidence)) {
    const ref = textOf(isObject(entry) ? entry.ref : entry)
    if (ref !== undefined && ref.length >= SHORTEST) references.set(ref, [ref])
  }
  for (const { name, identity } of attachmentsOf(receipt.items ?? [])) {
    references.set(
      identity,
      [identity, name].filter((form) => form.length >= SHORTEST),
    )
  }
  return references
}
