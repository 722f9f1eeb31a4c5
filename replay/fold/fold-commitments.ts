import { textOfContent } from '../../model/items.ts'
import { isObject, textOf } from '../../model/json.ts'
import type { EventOf } from '../../model/run-log.ts'
import { latest } from '../history.ts'
import type { Commitment, Run, Sent, Step } from '../run.ts'
import { endsOf, isClosedWord } from './stated-commitments.ts'

export function foldCommitment(run: Run, event: EventOf<'commitment'>, step: Step): void {
  const version = { step, value: { open: !isClosedWord(event.state), event } }
  const existing = run.commitments.get(event.id)
  if (existing === undefined) {
    const { id, text = '', agent } = event
    run.commitments.set(id, { id, text, words: [], agent, versions: [version] })
    return
  }
  existing.versions.push(version)
  existing.agent ??= event.agent
  if (event.text !== undefined && event.text !== existing.text) {
    existing.words.push(existing.text)
    existing.text = event.text
  }
}

/** A message may make a promise, or end one, without an event of its own. */
export function foldPromise(run: Run, event: EventOf<'message'>, step: Step): void {
  for (const id of endsOf(event)) close(run.commitments.get(id), step)
  const id = textOf(event.commitment)
  if (id === undefined || event.role === 'user') return
  const text = textOfContent(event.content)
  const existing = run.commitments.get(id)
  if (existing === undefined) open(run, id, text, event.agent, step)
  else if (text !== '') existing.words.push(text)
}

/** Promises, and their ends, that only stand in a sender's record or items are known from there. */
export function foldStatedCommitments(run: Run, from: string | undefined, sent: Sent): void {
  const { step } = sent
  for (const entry of sent.record?.commitments ?? []) {
    if (entry.id === undefined) continue
    if (!run.commitments.has(entry.id)) open(run, entry.id, entry.text ?? '', from, step)
    if (isClosedWord(entry.state)) close(run.commitments.get(entry.id), step)
  }
  for (const { raw, text, role } of sent.items ?? []) {
    if (!isObject(raw)) continue
    const id = textOf(raw.commitment)
    if (id !== undefined && role !== 'user' && !run.commitments.has(id)) open(run, id, text, from, step)
    for (const ended of endsOf(raw)) close(run.commitments.get(ended), step)
  }
}

function open(run: Run, id: string, text: string, agent: string | undefined, step: Step): void {
  const event = { run: run.id, kind: 'commitment' as const, id, text, agent }
  run.commitments.set(id, { id, text, words: [], agent, versions: [{ step, value: { open: true, event } }] })
}

function close(commitment: Commitment | undefined, step: Step): void {
  if (commitment === undefined || !latest(commitment).open) return
  commitment.versions.push({ step, value: { ...latest(commitment), open: false } })
}
