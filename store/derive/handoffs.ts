import { isObject, textOf } from '../../model/json.ts'
import type { Analysis } from '../../replay/analyse.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import { answeredFields } from '../../replay/facts/contract-answers.ts'
import { acceptanceDue, instantAt } from '../../replay/facts/due.ts'
import { withoutGenerated } from '../../replay/facts/generated.ts'
import type { Handoff, Operation, Run } from '../../replay/run.ts'
import { hash64 } from '../hash64.ts'
import type { Row } from '../table.ts'
import { timestampMicros } from '../table.ts'
import { crossingCounts } from './crossing-counts.ts'
import { hopsOf, lapNumbers } from './hops.ts'
import { permissionsJudged } from './permissions-judged.ts'
import type { Work } from './receiver-work.ts'
import { callsByHandoff, workCounts } from './work-counts.ts'

/** The rows of a run's handoffs, first what each is by itself. `work` is what became of each of the run's calls. */
export function handoffRows(
  { run, diffs }: Analysis,
  work: ReadonlyMap<Operation, Work>,
): [about: Row, ...rest: Row[]][] {
  const calls = callsByHandoff(work)
  const hops = hopsOf(diffs)
  const laps = lapNumbers(run)
  return diffs.map((diff) => [
    handoffRow(run, diff),
    ...crossingCounts(run, diff),
    workCounts(run, diff, calls.get(diff.handoff) ?? []),
    {
      hop: hops.get(diff.handoff)?.hop,
      growth: hops.get(diff.handoff)?.growth,
      lap: laps.get(diff.handoff) ?? 1,
    },
  ])
}

function handoffRow(run: Run, diff: HandoffDiff): Row {
  const { handoff, sizes } = diff
  const sent = handoff.sent?.event
  const received = handoff.receipts[0]?.event
  const verdict = handoff.verdicts.at(-1)?.event
  const largest = sizes.largest[0]
  return {
    run: run.id,
    handoff: handoff.id,
    attempt: handoff.attempt,
    mode: handoff.mode,
    pair: pairOf(handoff.from, handoff.to ?? received?.by),
    from_agent: handoff.from,
    to_agent: handoff.to,
    received_by: received?.by,
    framework: textOf(sent?.framework) ?? textOf(received?.framework) ?? frameworkOf(run),
    reason: handoff.reason,
    requested_action: sent?.requested_action,
    verdict: verdict?.verdict,
    verdict_at: timestampMicros(verdict?.at),
    outcome: outcomeOf(handoff),
    evidence: textOf(sent?.evidence) ?? textOf(received?.evidence),
    style: textOf(sent?.policy?.history) ?? textOf(sent?.policy?.filter),
    sent_at: timestampMicros(sent?.at),
    received_at: timestampMicros(received?.at),
    accepted_at: timestampMicros(handoff.accepted?.event.at),
    late: isLate(run, handoff),
    sent_step: handoff.sent?.step,
    received_step: handoff.receipts[0]?.step,
    deliveries: handoff.receipts.length,
    items_before: sizes.itemsBefore?.count,
    items_after: sizes.items?.count,
    bytes_before: sizes.itemsBefore?.bytes,
    bytes_after: sizes.items?.bytes,
    tokens_before: sizes.itemsBefore?.tokens,
    tokens_after: sizes.items?.tokens,
    token_method: sizes.tokenMethod,
    record_bytes: sizes.record?.bytes,
    instructions_bytes: sizes.instructions?.bytes,
    largest_item_bytes: largest?.bytes,
    largest_item_type: largest?.type,
    filtered: diff.items.droppedByType,
    record_fields: diff.receipt?.record?.fields ?? [],
    contract_fields: answeredFields(diff),
    permissions_judged: permissionsJudged(run, diff),
    origin: diff.origin.verdict,
    trace: diff.correlation.trace,
    task: diff.correlation.task,
    input_hash: sent?.items_before && hashOf([sent.items_before, sent.brief]),
    payload_hash: received && hashOf([received.items, received.instructions, received.tools]),
    trace_id: sent?.trace?.id,
    span_id: sent?.trace?.span,
  }
}

/** How far a handoff came. An answer counts more than a receipt, and the end of all attempts most. */
function outcomeOf(handoff: Handoff): string {
  if (handoff.deadLettered) return 'dead-lettered'
  if (handoff.declined) return 'declined'
  if (handoff.accepted) return 'accepted'
  if (handoff.receipts.length > 0) return 'received'
  return handoff.failed ? 'failed' : 'sent'
}

/** Named as a person writes it. Null where nothing says who. */
function pairOf(from: string | undefined, to: string | undefined): string | undefined {
  return from === undefined && to === undefined ? undefined : `${from ?? '?'} → ${to ?? '?'}`
}

/** The framework that run.start names, itself or among its labels. */
function frameworkOf(run: Run): string | undefined {
  const start = run.events.find((event) => event.kind === 'run.start')
  return textOf(start?.framework) ?? (isObject(start?.labels) ? textOf(start.labels.framework) : undefined)
}

/** Whether a received handoff was answered (accepted, declined, a verdict) after it was due, or not at all by then. */
function isLate(run: Run, handoff: Handoff): boolean | undefined {
  const due = acceptanceDue(run, handoff)
  if (due === undefined || handoff.receipts.length === 0) return undefined
  const answers = [handoff.accepted, handoff.declined, ...handoff.verdicts].flatMap((one) => one?.step ?? [])
  const answered = answers.length === 0 ? run.events.length - 1 : Math.min(...answers)
  const at = instantAt(run, answered)
  return at === undefined ? undefined : at > due
}

/**
 * Hash of the parts without what every run makes anew (ids, times, random strings), so that runs can be compared. The
 * record is left out: its keys and results are each run's own.
 */
function hashOf(parts: readonly unknown[]): bigint {
  return hash64(JSON.stringify(parts.map((part) => withoutGenerated(part) ?? null)))
}
