import { normaliseText } from '../../model/hash.ts'
import { isObject, textOf } from '../../model/json.ts'
import { valueAt } from '../history.ts'
import type { Handoff, Receipt, Run, Sent } from '../run.ts'
import type { PayloadText } from '../text.ts'
import type { CommitmentCrossing } from './handoff-diff.ts'

/** The promises made before the handoff by the sender (or by nobody named): did the receiver get them? */
export function diffCommitments(
  run: Run,
  handoff: Handoff,
  sent: Sent,
  receipt: Receipt,
  texts: readonly PayloadText[],
): CommitmentCrossing[] {
  return [...run.commitments.values()].flatMap((commitment) => {
    const version = valueAt(commitment, sent.step)
    if (version === undefined) return []
    if (commitment.agent !== undefined && handoff.from !== undefined && commitment.agent !== handoff.from)
      return []
    const path =
      receipt.record?.commitments.find(
        (entry) => entry.id === commitment.id || entry.text === commitment.text,
      )?.path ??
      receipt.items?.find(({ raw }) => isObject(raw) && textOf(raw.commitment) === commitment.id)?.path ??
      wordsPath(commitment.text, texts)
    return [{ commitment, open: version.open, crossed: path !== undefined, path }]
  })
}

function wordsPath(text: string, texts: readonly PayloadText[]): string | undefined {
  const wanted = normaliseText(text)
  return wanted === '' ? undefined : texts.find((place) => normaliseText(place.text).includes(wanted))?.path
}
