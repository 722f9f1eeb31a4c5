import type { HandoffComparison } from '../replay/compare.ts'
import type { ItemFate } from '../replay/diff/handoff-diff.ts'

/** What a comparison comes to, in a sentence. `bad`: the same was handed over, and it did not arrive as the same. */
export function comparisonVerdict({
  sameInput,
  samePayload,
}: Pick<HandoffComparison, 'sameInput' | 'samePayload'>): { text: string; bad: boolean } {
  if (samePayload === undefined) return { text: 'Not compared: one of them was not received.', bad: false }
  if (samePayload) return { text: 'Both receivers got the same.', bad: false }
  return sameInput
    ? {
        text: 'The senders had the same, and the receivers did not get the same: it is not deterministic.',
        bad: true,
      }
    : {
        text: 'The receivers did not get the same; nor did the senders have the same, as far as the log says.',
        bad: false,
      }
}

/** What became of an item between payload a and payload b. */
export function fateBetween({ fate, reordered }: Pick<ItemFate, 'fate' | 'reordered'>): string {
  if (fate === 'dropped') return 'only in a'
  if (fate === 'added') return 'only in b'
  return reordered && fate === 'kept' ? 'moved' : fate
}
