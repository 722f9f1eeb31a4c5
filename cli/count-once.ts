import type { TokenCounter } from '../model/tokens.ts'

/**
 * A counter that counts each text once until it is told to `forget`: of a run that is judged many times, with one payload
 * exchanged, nearly all texts come again, and counting them takes longer than judging.
 */
export function countOnce(counter: TokenCounter): TokenCounter & { forget(): void } {
  const counts = new Map<string, number>()
  return {
    ...counter,
    count(text) {
      const known = counts.get(text)
      if (known !== undefined) return known
      const tokens = counter.count(text)
      counts.set(text, tokens)
      return tokens
    },
    forget: () => counts.clear(),
  }
}
