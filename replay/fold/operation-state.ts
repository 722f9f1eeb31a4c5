import type { OperationState } from '../run.ts'

/*
 * Runtimes have words of their own for the states of a call. Those that say the same are read as one; any other word is
 * kept as it is. A call that was aborted or timed out has left and nobody knows the outcome: that is `unknown`.
 */
const WORDS = new Map<string, OperationState>([
  ...all('proposed', 'planned', 'requested', 'queued', 'pending', 'waiting', 'awaitingapproval'),
  ...all(
    'sent',
    'dispatched',
    'inflight',
    'running',
    'started',
    'inprogress',
    'executing',
    'submitted',
    'working',
  ),
  ...all('settled', 'completed', 'complete', 'done', 'success', 'succeeded', 'successful', 'ok', 'finished'),
  ...all('failed', 'failure', 'error', 'errored', 'refused', 'rejected', 'denied'),
  ...all('unknown', 'timeout', 'timedout', 'indoubt', 'indeterminate', 'noreply', 'aborted', 'interrupted'),
  ...all('closed', 'voided'),
])

function all(state: OperationState, ...others: string[]): [string, OperationState][] {
  return [state, ...others].map((word) => [word, state])
}

/** The state that a word means, whatever its case and separators: `Timed out` is `unknown`. */
export function readState(word: string): OperationState {
  // Nearly every word is written as it stands above.
  return WORDS.get(word) ?? WORDS.get(word.toLowerCase().replace(/[^a-z]/g, '')) ?? word
}
