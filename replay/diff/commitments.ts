import { normaliseText } from '../../model/hash.ts'
import { isObject, textOf } from '../../model/json.ts'
import type { RecordCommitment } from '../../model/record.ts'
import { receivedBefore } from '../facts/participation.ts'
import { readingOf } from '../facts/readings.ts'
import { endsOf, isClosedWord } from '../fold/stated-commitments.ts'
import { valueAt } from '../history.ts'
import { oncePerRun } from '../once-per-run.ts'
import type { Commitment, Handoff, Receipt, Run, Sent } from '../run.ts'
import { payloadTexts } from '../text.ts'
import type { CommitmentCrossing } from './handoff-diff.ts'

/** The promises made before the handoff: did the receiver get them, and is it told of those that have ended? */
export function diffCommitments(
  run: Run,
  handoff: Handoff,
  sent: Sent,
  receipt: Receipt,
): CommitmentCrossing[] {
  return [...run.commitments.values()].flatMap((commitment) => {
    const version = valueAt(commitment, sent.step)
    if (version === undefined) return []
    const place = placeOf(run, commitment, receipt)
    const holder = isHeld(run, commitment, handoff, sent) ? 'sender' : 'other'
    if (holder === 'other' && place === undefined) return []
    return [
      {
        commitment,
        open: version.open,
        holder,
        crossed: place !== undefined,
        path: place?.path,
        stands: place?.stands ?? false,
        ended: isToldOfEnd(run, commitment, receipt),
      },
    ]
  })
}

function isHeld(run: Run, commitment: Commitment, { from }: Handoff, sent: Sent): boolean {
  if (commitment.agent === undefined || from === undefined || commitment.agent === from) return true
  return receivedBefore(run, from, sent.step).some(
    ({ receipt }) => placeOf(run, commitment, receipt) !== undefined,
  )
}

/** Where a payload holds a promise; `stands`: as one that is still to be kept. */
type Place = { path: string; stands: boolean }

// Whoever hands over later is asked what it had received before, so each payload is searched for each promise once.
const places = oncePerRun(() => new Map<Receipt, Map<Commitment, Place | undefined>>())

function placeOf(run: Run, commitment: Commitment, receipt: Receipt): Place | undefined {
  const known = places(run).get(receipt) ?? new Map<Commitment, Place | undefined>()
  if (!known.has(commitment)) {
    known.set(commitment, findPlace(run, commitment, receipt))
    places(run).set(receipt, known)
  }
  return known.get(commitment)
}

function findPlace(run: Run, commitment: Commitment, receipt: Receipt): Place | undefined {
  const entry = receipt.record?.commitments.find((candidate) => names(run, candidate, commitment))
  if (entry !== undefined) return { path: entry.path, stands: !isClosedWord(entry.state) }
  const item = receipt.items?.find(({ raw }) => isObject(raw) && textOf(raw.commitment) === commitment.id)
  if (item !== undefined)
    return { path: item.path, stands: !isClosedWord((item.raw as { state?: unknown }).state) }
  const wanted = [commitment.text, ...commitment.words].map(normaliseText).filter((text) => text !== '')
  const words = payloadTexts(receipt).find(({ text }) => {
    const reading = readingOf(run, text)
    return wanted.some((promise) => reading.holds(promise))
  })
  // An old message that made a promise is history; a standing instruction is not.
  return words === undefined ? undefined : { path: words.path, stands: words.item === undefined }
}

/** By id; by its words where the entry names no promise of the run: the same may be promised anew. */
function names(run: Run, entry: RecordCommitment, { id, text }: Commitment): boolean {
  if (entry.id === id) return true
  if (entry.id !== undefined && run.commitments.has(entry.id)) return false
  return entry.text !== undefined && normaliseText(entry.text) === normaliseText(text)
}

function isToldOfEnd(run: Run, commitment: Commitment, { items, record }: Receipt): boolean {
  return (
    (items ?? []).some(({ raw }) => endsOf(raw).includes(commitment.id)) ||
    (record?.commitments ?? []).some((entry) => names(run, entry, commitment) && isClosedWord(entry.state))
  )
}
