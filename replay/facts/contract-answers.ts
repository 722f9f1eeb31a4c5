import type { HandoffDiff } from '../diff/handoff-diff.ts'

/**
 * The fields of the contract that the received record answers, in their order. An empty list or object says that there is
 * nothing to say, which is an answer; an empty text says nothing.
 */
export function answeredFields({ contract, receipt }: Pick<HandoffDiff, 'contract' | 'receipt'>): string[] {
  return contract
    .filter(
      ({ field, received }) =>
        received === 'present' || (received === 'empty' && typeof receipt?.record?.raw[field] !== 'string'),
    )
    .map(({ field }) => field)
}
