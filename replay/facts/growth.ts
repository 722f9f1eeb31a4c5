import { jsonString } from '../../model/json-text.ts'
import { isKind } from '../../model/run-log.ts'
import { estimateByBytes } from '../../model/tokens.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import type { Receipt, Run, Step } from '../run.ts'
import { userTurns } from './user-turns.ts'

/** One hop of a chain: what the receiver got, in tokens. */
export type Hop = { diff: HandoffDiff; receipt: Receipt; tokens: number }

/**
 * Chains of hops in which each payload is larger than the one before, each received by the agent that sends the next,
 * and no person spoke in between. Tokens are those that the log states; where it states none, those of the items' text.
 */
export function growingChains(run: Run, diffs: readonly HandoffDiff[]): Hop[][] {
  const turns = userTurns(run)
  const stated = diffs.some(({ sizes }) => sizes.statedTokens.received !== undefined)
  const hops = diffs
    .flatMap((diff): Hop[] => {
      const { receipt, handoff, sizes } = diff
      if (receipt === undefined || handoff.mode === 'notify') return []
      const tokens = stated ? sizes.statedTokens.received : textTokens(receipt)
      return tokens === undefined ? [] : [{ diff, receipt, tokens }]
    })
    .sort((a, b) => a.receipt.step - b.receipt.step)
  const chains: Hop[][] = []
  for (const hop of hops) {
    const chain = chains.at(-1)
    const last = chain?.at(-1)
    const goesOn =
      last !== undefined &&
      hop.diff.handoff.from === last.receipt.by &&
      hop.tokens > last.tokens &&
      !turns.between(last.receipt.step, hop.receipt.step)
    if (goesOn) chain!.push(hop)
    else chains.push([hop])
  }
  return chains
}

/** Tokens of what is new after the first hop: sentences that no payload held before, and calls and messages of the log. */
export function explainedGrowth(run: Run, chain: readonly Hop[]): number {
  const seen = new Set<string>()
  const [first, ...rest] = chain
  newWords(first!.receipt, seen)
  const words = rest.reduce((sum, { receipt }) => sum + newWords(receipt, seen), 0)
  return words + workBetween(run, first!.receipt.step, rest.at(-1)?.receipt.step ?? 0)
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

/** Tokens of the calls and words between two steps: what they brought may well stand in a payload afterwards. */
function workBetween(run: Run, after: Step, before: Step): number {
  let tokens = 0
  for (const event of run.events.slice(after + 1, before)) {
    if (isKind(event, 'operation')) tokens += tokensOf(event.args) + tokensOf(event.result)
    else if (isKind(event, 'message')) tokens += tokensOf(event.content)
  }
  return tokens
}

function tokensOf(value: unknown): number {
  return value === undefined ? 0 : estimateByBytes.count(jsonString(value) ?? '')
}
