import { textOf } from '../../model/json.ts'
import type { Handoff, Run, Step } from '../run.ts'

const WORDS: Record<string, string> = {
  approve: 'approve',
  approved: 'approve',
  accept: 'approve',
  accepted: 'approve',
  lgtm: 'approve',
  requestchanges: 'request_changes',
  changesrequested: 'request_changes',
  needschanges: 'request_changes',
  revise: 'request_changes',
  block: 'block',
  blocked: 'block',
  reject: 'block',
  rejected: 'block',
  denied: 'block',
  acknowledge: 'acknowledge',
  acknowledged: 'acknowledge',
  ack: 'acknowledge',
}

/** approve, request_changes, block or acknowledge, whatever the word's form; another word is kept. */
export function readVerdict(word: string): string {
  return WORDS[word.toLowerCase().replace(/[^a-z]/g, '')] ?? word
}

/** A verdict on a handoff, wherever the log holds it. */
export type Verdict = { step: Step; word: string; by?: string | undefined; comments?: unknown }

/** The verdicts on a handoff: its own events, and what the reviewer says in the return, or in its record. */
export function verdictsOn(run: Run, handoff: Handoff): Verdict[] {
  const own = handoff.verdicts.map(({ step, event }) => ({
    step,
    word: readVerdict(event.verdict),
    by: event.by,
    comments: event.comments,
  }))
  const receipt = handoff.receipts[0]
  if (receipt?.by === undefined || requestedAction(handoff) === undefined) return own
  const returned = run.handoffs.flatMap(({ from, to, sent }): Verdict[] => {
    if (from !== receipt.by || to !== handoff.from || sent === undefined || sent.step <= receipt.step)
      return []
    const word = textOf(sent.event.verdict) ?? textOf(sent.record?.raw.verdict)
    if (word === undefined) return []
    return [
      {
        step: sent.step,
        word: readVerdict(word),
        by: from,
        comments: sent.event.comments ?? sent.record?.raw.comments,
      },
    ]
  })
  return [...own, ...returned]
}

/** What the sender asks for (review, continue, approve, execute), in the handoff or in its record. */
export function requestedAction({ sent }: Handoff): string | undefined {
  const word = textOf(sent?.event.requested_action) ?? textOf(sent?.record?.raw.requested_action)
  return word?.toLowerCase().trim()
}

/** True if the sender waits for a yes or a no. */
export function asksForVerdict(handoff: Handoff): boolean {
  const action = requestedAction(handoff)
  return action === 'review' || action === 'approve'
}
