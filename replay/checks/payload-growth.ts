import type { Check } from '../check.ts'
import { explainedGrowth, growingChains, type Hop } from '../facts/growth.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, receiverOf } from '../phrase.ts'
import type { Run } from '../run.ts'

// Agents differ in instructions and tools: over a few hops that alone may double a payload, over many it evens out.
const HOPS = 3
const FACTOR = 3
const MANY_HOPS = 5
const FACTOR_OVER_MANY = 2
const EXPLAINED_AT_MOST = 0.5
const SMALLEST_GROWTH = 16
// However new the words are: what doubles at every hop and is this large soon fits no model.
const DOUBLES = 2
const LARGE_TOKENS = 10_000

export const payloadGrowth: Check = {
  id: 'payload-growth',
  severity: 'warning',
  title: 'The payload grows at every hop',
  question: 'Does each handoff carry the last one again?',
  definition:
    `Raised once a chain of at least ${HOPS} hops, each received by the agent that sends the next, in which the tokens grow ` +
    `at every hop and by a factor of ${FACTOR} or more in all (${FACTOR_OVER_MANY} over ${MANY_HOPS} hops and more), while no person spoke, and new words and calls explain less ` +
    `than half of it; and, whatever explains it, if they double at every hop to ${LARGE_TOKENS} tokens or more. ` +
    'Hops and factor can be configured. Tokens are those that the log states for the receivers, else ' +
    'those of the text of their items.',
  check({ run, diffs, thresholds }) {
    const limits = thresholds?.['payload-growth'] ?? {}
    return {
      findings: growingChains(run, diffs)
        .filter((chain) => isGrowth(run, chain, limits))
        .map(growthDraft),
    }
  },
}

function isGrowth(run: Run, chain: readonly Hop[], limits: { hops?: number; factor?: number }): boolean {
  if (chain.length < (limits.hops ?? HOPS)) return false
  const [first, last] = [chain[0]!.tokens, chain.at(-1)!.tokens]
  const factor = limits.factor ?? (chain.length < MANY_HOPS ? FACTOR : FACTOR_OVER_MANY)
  if (last < first * factor || last - first < SMALLEST_GROWTH) return false
  return isRunaway(chain) || explainedGrowth(run, chain) <= (last - first) * EXPLAINED_AT_MOST
}

function isRunaway(chain: readonly Hop[]): boolean {
  if (chain.at(-1)!.tokens < LARGE_TOKENS) return false
  return chain.every((hop, index) => index === 0 || hop.tokens >= chain[index - 1]!.tokens * DOUBLES)
}

function growthDraft(chain: readonly Hop[]): Draft {
  const first = chain[0]!
  const last = chain.at(-1)!
  const shown = chain.length > 6 ? [...chain.slice(0, 3), ...chain.slice(-2)] : chain
  const way = shown.map(({ diff, tokens }) => `${receiverOf(diff.handoff)} ${tokens}`)
  if (chain.length > 6) way.splice(3, 0, '…')
  return {
    ...aboutHandoff(last.diff.handoff),
    subject: { kind: 'handoff', id: last.diff.handoff.id },
    message:
      `Over ${chain.length} hops the payload grew from ${first.tokens} to ${last.tokens} tokens (${way.join(', ')}), ` +
      `${isRunaway(chain) ? 'at least twofold at every hop' : 'and what was said and done in between explains less than half of that'}. ` +
      'Each hop carries the earlier ones again; it ends at the limit of a model.',
    evidence: chain.slice(-8).map(({ receipt }) => ({ step: receipt.step, side: 'receiver' as const })),
    remedy: 'Summarise from the sources, not from the last summary, and pass each message on once.',
    trait: 'chain',
  }
}
