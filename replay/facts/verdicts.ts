import { textOf } from '../../model/json.ts'
import type { Handoff } from '../run.ts'

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

/** What the sender asks for (review, continue, approve, execute), in the handoff or in its record. */
export function requestedAction({ sent }: Handoff): string | undefined {
  const word = textOf(sent?.event.requested_action) ?? textOf(sent?.record?.raw.requested_action)
  return word?.toLowerCase().trim()
}
