import { textOfContent } from '../../model/items.ts'
import type { HandoffRecord } from '../../model/record.ts'
import type { Check } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { isAttachment } from '../facts/plumbing.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, bothSides, listed, receiverOf } from '../phrase.ts'

export const payloadEmpty: Check = {
  id: 'payload-empty',
  severity: 'error',
  title: 'Nothing crossed',
  question: 'Did anything reach the receiver at all?',
  definition:
    'Raised when the receiver got no item that says anything and no record, although the sender had items, a record or a ' +
    'brief to pass on. Instructions count only if they hold something of it. Not raised for notifications, nor where the ' +
    "receiver restores its state from a checkpoint. Needs the receiver's items.",
  needsWholePayload: true,
  check({ diffs }) {
    return { findings: diffs.flatMap(emptyPayload) }
  },
}

function emptyPayload(diff: HandoffDiff): Draft[] {
  const { sent, receipt, handoff } = diff
  if (sent === undefined || receipt?.items === undefined || handoff.mode === 'notify') return []
  const says = receipt.items.some(
    (item) => item.text.trim() !== '' || item.args !== undefined || isAttachment(item),
  )
  if (says || holdsSomething(receipt.record)) return []
  const had = whatWasThere(diff)
  if (had.length === 0 || instructionsHold(diff)) return []
  return [
    {
      ...aboutHandoff(handoff),
      subject: { kind: 'handoff', id: handoff.id },
      message:
        `${receiverOf(handoff)} got nothing: no item with words, no record. ${handoff.from ?? 'The sender'} had ${listed(had)}. ` +
        'It can only answer into the blue, or ask for everything again.',
      evidence: bothSides(diff),
      remedy: 'Refuse to hand over an empty payload: pass on the last request and the record at the least.',
      trait: handoff.mode,
    },
  ]
}

function whatWasThere({ sent }: HandoffDiff): string[] {
  const count = sent!.items?.filter(({ text, args }) => text.trim() !== '' || args !== undefined).length ?? 0
  return [
    ...(count === 0 ? [] : [count === 1 ? 'one item' : `${count} items`]),
    ...(holdsSomething(sent!.record) ? ['a record'] : []),
    ...(textOfContent(sent!.event.brief).trim() === '' ? [] : ['a brief']),
  ]
}

function holdsSomething(record: HandoffRecord | undefined): boolean {
  return Object.values(record?.raw ?? {}).some((value) =>
    typeof value === 'object' && value !== null
      ? Object.keys(value).length > 0
      : value !== undefined && value !== null && value !== '',
  )
}

/** A brief may be written into the instructions; the receiver's own ones hold nothing of the sender's. */
function instructionsHold({ sent, receipt }: HandoffDiff): boolean {
  const { instructions } = receipt!
  if (instructions === undefined) return false
  const words = [textOfContent(sent!.event.brief), ...(sent!.items ?? []).map(({ text }) => text)]
  return words.some((text) => text.trim().length > 2 && instructions.includes(text.trim()))
}
