import { isKind } from '../model/run-log.ts'
import { estimateByBytes } from '../model/tokens.ts'
import type { HandoffDiff } from './diff/handoff-diff.ts'
import type { Receipt, Run, Step } from './run.ts'
import { userTurns } from './user-turns.ts'

/** One hop of a chain: what the receiver got, in tokens, and how much of it the work since the hop before explains. */
export type Hop = { diff: HandoffDiff; step: Step; tokens: number; explained: number }

/**
 * Chains of hops in which each payload is larger than the one before, each received by the agent that sends the next,
 * and no person spoke in between. Tokens are those that the log states; where it states none, those of the items' text.
 */
export function growingChains(run: Run, diffs: readonly HandoffDiff[]): Hop[][] {
  const turns = userTurns(run)
  const received = diffs
    .filter(({ receipt, handoff }) => receipt !== undefined && handoff.mode !== 'notify')
    .sort((a, b) => a.receipt!.step - b.receipt!.step)
  const stated = received.some(({ sizes }) => sizes.statedTokens.received !== undefined)
  const work = workUpTo(run)
  const chains: Hop[][] = []
  let chain: Hop[] = []
  let seen = new Set<string>()
  for (const diff of received) {
    const receipt = diff.receipt!
    const tokens = stated ? diff.sizes.statedTokens.received : textTokens(receipt)
    if (tokens === undefined) continue
    const last = chain.at(-1)
    const goesOn =
      last !== undefined &&
      diff.handoff.from === last.diff.receipt!.by &&
      tokens > last.tokens &&
      !turns.between(last.step, receipt.step)
    if (!goesOn) {
      chain = []
      seen = new Set()
      chains.push(chain)
    }
    const explained =
      newWords(receipt, seen) + (last === undefined ? 0 : work(receipt.step) - work(last.step))
    chain.push({ diff, step: receipt.step, tokens, explained })
  }
  return chains
}

function textTokens({ items }: Receipt): number | undefined {
  return items?.reduce((sum, { text }) => sum + estimateByBytes.count(text), 0)
}

/** Tokens of the sentences that were in no payload of the chain before. */
function newWords({ items }: Receipt, seen: Set<string>): number {
  let tokens = 0
  for (const { text } of items ?? []) {
    for (const sentence of text.split(/[.!?;\n。！？]+/u)) {
      const words = sentence.trim().toLowerCase()
      if (words === '' || seen.has(words)) continue
      seen.add(words)
      tokens += estimateByBytes.count(words)
    }
  }
  return tokens
}

/** Tokens of all calls and words up to a step: what they brought may well stand in a payload afterwards. */
function workUpTo(run: Run): (step: Step) => number {
  const sums: number[] = []
  let sum = 0
  for (const event of run.events) {
    if (isKind(event, 'operation')) sum += tokensOf(event.args) + tokensOf(event.result)
    else if (isKind(event, 'message')) sum += tokensOf(event.content)
    sums.push(sum)
  }
  return (step) => sums[step] ?? sum
}

function tokensOf(value: unknown): number {
  return value === undefined ? 0 : estimateByBytes.count(JSON.stringify(value) ?? '')
}
