import { jsonString } from '../../model/json-text.ts'
import { bytesOf } from '../../model/sizes.ts'
import { type Analysis, type AnalysisOptions, analyse } from '../analyse.ts'
import type { HandoffDiff } from '../diff/handoff-diff.ts'
import type { Finding } from '../finding.ts'
import type { Handoff, Run } from '../run.ts'
import { type Suppression, suppress } from '../suppress.ts'
import type { Payload } from './filter.ts'
import { type CrossingPair, crossingPairs } from './pairs.ts'

/** Findings that the project accepts are left out on both sides; `today` is the day on which that is asked, YYYY-MM-DD. */
export type TrialOptions = AnalysisOptions & {
  accepted?: { suppressions: readonly Suppression[]; today: string }
}

/** What another payload would have changed. */
export type Trial = {
  /** Found in what really crossed, and not with the other payload. */
  solved: Finding[]
  /** Found only with the other payload. */
  fresh: Finding[]
  unchanged: Finding[]
  /** Items and record at the receiver, as compact JSON. */
  bytes: { before: number; after: number }
  /** How each thing crossed, and how it would have crossed. */
  pairs: CrossingPair[]
}

/**
 * Puts a payload in the place of what the receiver of a handoff really got, and diffs and judges the run again. What the
 * receiver did afterwards stays as it was: it answered to what it really got.
 */
export function whatIf(
  analysis: Analysis,
  handoff: Handoff,
  payload: Payload,
  { accepted, ...options }: TrialOptions = {},
): Trial {
  const { run } = analysis
  const receipt = handoff.receipts[0]!
  const before = judgedAlone(run, options)
  const { items, record } = payload
  const after = analyse(
    run.events.map((event) => (event === receipt.event ? { ...event, items, record } : event)),
    options,
  )
  const counted = ({ findings }: Analysis) =>
    accepted === undefined ? findings : suppress(findings, accepted.suppressions, accepted.today).findings
  const [gone, kept] = part(counted(before), counted(after))
  const [fresh] = part(counted(after), counted(before))
  return {
    solved: gone,
    fresh,
    unchanged: kept,
    bytes: {
      before: bytesOf(receipt.event.items) + bytesOf(receipt.event.record),
      after: payload.bytes,
    },
    pairs: crossingPairs(diffOf(before, handoff), diffOf(after, handoff)),
  }
}

type Alone = { options: AnalysisOptions; analysis: Analysis }
const known = new WeakMap<Run, Alone>()

/**
 * A run judged on its own, as it is with another payload: what only a comparison with another run shows is not this payload's
 * doing. Whoever tries one handoff of a run mostly tries them all.
 */
function judgedAlone(run: Run, options: AnalysisOptions): Analysis {
  const last = known.get(run)
  if (
    last !== undefined &&
    last.options.tokens === options.tokens &&
    last.options.settings === options.settings
  ) {
    return last.analysis
  }
  const analysis = analyse(run.events, options)
  known.set(run, { options, analysis })
  return analysis
}

/** Parts findings into those that the other list does not have, and those that it has as well. */
function part(findings: readonly Finding[], others: readonly Finding[]): [Finding[], Finding[]] {
  const counts = new Map<string, number>()
  for (const other of others) counts.set(nameOf(other), (counts.get(nameOf(other)) ?? 0) + 1)
  const alone: Finding[] = []
  const shared: Finding[] = []
  for (const finding of findings) {
    const left = counts.get(nameOf(finding)) ?? 0
    counts.set(nameOf(finding), left - 1)
    if (left > 0) shared.push(finding)
    else alone.push(finding)
  }
  return [alone, shared]
}

function nameOf({ fingerprint, handoff, attempt }: Finding): string {
  return jsonString([fingerprint, handoff, attempt])
}

function diffOf({ diffs }: Analysis, { id, attempt }: Handoff): HandoffDiff {
  return diffs.find(({ handoff }) => handoff.id === id && handoff.attempt === attempt)!
}
