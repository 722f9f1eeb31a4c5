import { textOfContent } from '../../model/items.ts'
import { textOf } from '../../model/json.ts'
import type { RunEvent } from '../../model/run-log.ts'
import type { Check, CheckInput } from '../check.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import { actsOf } from '../facts/acts.ts'
import type { Draft } from '../finding.ts'
import { aboutHandoff, bothSides, quote } from '../phrase.ts'
import type { Handoff, Run, Step } from '../run.ts'

const TOO_LARGE =
  /(prompt|input|context|payload|request|body|message|history|transcript|entity)s?\b.{0,30}\btoo (long|large|big)|context.{0,12}(length|window|limit|size)|max(imum)? (context|tokens?|length)|(token|size|length) limit|exceed.{0,60}(limit|tokens|length|size|window)|too many tokens|(not|n't|no longer) fit|\b413\b/iu
const LIMITS = ['limit', 'token_limit', 'max_tokens', 'context_window', 'context_limit']

export const payloadTooLarge: Check = {
  id: 'payload-too-large',
  severity: 'error',
  title: 'The payload is over a limit',
  question: 'Did what was handed over fit?',
  definition:
    'Raised when a handoff failed (or the run failed at it) with more tokens than the stated limit or with an error that ' +
    'says that it was too long, and when a receiver got more tokens than a limit stated with the handoff, or, where none ' +
    'is stated, than the configured limit. Stated token ' +
    'counts are used, else the measured ones of the items.',
  judgesByWords: true,
  check(input) {
    return { findings: input.diffs.flatMap((diff) => tooLarge(input, diff)) }
  },
}

type Excess = {
  step: Step
  tokens?: number | undefined
  limit?: number | undefined
  error?: string | undefined
}

function tooLarge(input: CheckInput, diff: HandoffDiff): Draft[] {
  const excess = failedByLength(input, diff) ?? overLimit(input, diff)
  if (excess === undefined) return []
  const { tokens, limit, error, step } = excess
  const size = tokens === undefined ? 'too much' : `${tokens} tokens`
  const allowed = limit === undefined ? '' : `, and ${limit} are allowed`
  return [
    {
      ...aboutHandoff(diff.handoff),
      subject: { kind: 'handoff', id: diff.handoff.id },
      message:
        `${diff.handoff.from ?? 'The sender'} handed over ${size}${allowed}.` +
        `${error === undefined ? ' What does not fit is cut off or refused.' : ` It failed: ${quote(error)}.`} ` +
        'A task that has run long enough cannot be handed over any more, just when it has to be.',
      evidence: [...bothSides(diff), { step }],
      remedy:
        'Hand over a record and a short brief; make the summary in pieces, before the limit is reached.',
      trait: diff.handoff.mode,
    },
  ]
}

function failedByLength({ run }: CheckInput, { handoff, sent }: HandoffDiff): Excess | undefined {
  const ended = run.outcome === 'failed' ? run.events.findIndex((event) => failsAt(run, event, handoff)) : -1
  const failure = handoff.failed ?? (ended < 0 ? undefined : { step: ended, event: run.events[ended]! })
  if (failure === undefined) return undefined
  const { event, step } = failure
  const error = errorText(event.error)
  const tokens = numberOf(event.tokens) ?? sent?.event.tokens
  const limit = limitOf(event)
  const over = tokens !== undefined && limit !== undefined && tokens > limit
  return over || (error !== undefined && TOO_LARGE.test(error)) ? { step, tokens, limit, error } : undefined
}

/** The run failed at that handoff: by its name, or, where none is named, before its receiver did anything with it. */
function failsAt(run: Run, event: RunEvent, handoff: Handoff): boolean {
  if (event.kind !== 'run.failed') return false
  if (textOf(event.handoff) !== undefined) return event.handoff === handoff.id
  if (handoff !== run.handoffs.at(-1)) return false
  const { step, by } = handoff.receipts[0] ?? {}
  return step !== undefined && !actsOf(run).some((act) => act.agent === by && act.step > step)
}

function overLimit({ thresholds }: CheckInput, { receipt, sent, sizes }: HandoffDiff): Excess | undefined {
  if (receipt === undefined) return undefined
  const stated = limitOf(receipt.event) ?? (sent && limitOf(sent.event))
  const limit = stated ?? thresholds?.['payload-too-large']?.tokens
  if (limit === undefined) return undefined
  const { sent: whole, received } = sizes.statedTokens
  // What was over the limit and cut off to fit was too large all the same.
  if (receipt.event.truncated === true && whole !== undefined && whole > limit)
    return { step: receipt.step, tokens: whole, limit }
  const tokens = received ?? sizes.items?.tokens
  return tokens === undefined || tokens <= limit ? undefined : { step: receipt.step, tokens, limit }
}

function limitOf(event: Record<string, unknown>): number | undefined {
  return LIMITS.map((field) => numberOf(event[field])).find((limit) => limit !== undefined)
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined
}

function errorText(error: unknown): string | undefined {
  return (
    textOf(error) ?? textOf(textOfContent((error as { message?: unknown } | undefined)?.message ?? error))
  )
}
