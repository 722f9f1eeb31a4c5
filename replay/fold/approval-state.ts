/*
 * Runtimes have words of their own for the states of an approval. Those that say the same are read as one; any other word
 * (expired, withdrawn) is kept.
 */
const WORDS = new Map<string, string>([
  ...all('pending', 'requested', 'waiting', 'open', 'asked', 'awaiting', 'awaitingapproval', 'inputrequired'),
  ...all('approved', 'granted', 'allowed', 'accepted', 'confirmed', 'approve', 'allow', 'yes'),
  ...all('rejected', 'denied', 'refused', 'declined', 'disapproved', 'reject', 'deny', 'no'),
  ...all('consumed', 'used', 'spent'),
])

function all(state: string, ...others: string[]): [string, string][] {
  return [state, ...others].map((word) => [word, state])
}

/** The state that a word means: pending, approved, rejected, consumed, or the word itself. */
export function readApprovalState(word: string): string {
  // Nearly every word is written as it stands above.
  return WORDS.get(word) ?? WORDS.get(word.toLowerCase().replace(/[^a-z]/g, '')) ?? word
}

/** True if a person has answered. */
export function isDecided(state: string): boolean {
  return state === 'approved' || state === 'rejected' || state === 'consumed'
}

/** True if the action may run. */
export function isGiven(state: string | undefined): boolean {
  return state === 'approved' || state === 'consumed'
}
