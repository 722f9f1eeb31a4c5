import { listValue, mapValue } from '@duckdb/node-api'
import { textOf } from '../../model/json.ts'
import type { HandoffDiff } from '../../replay/diff/handoff-diff.ts'
import type { Handoff, Run } from '../../replay/run.ts'
import type { Row } from '../append.ts'
import { timestampValue } from '../duckdb-values.ts'
import { hash64 } from '../event-row.ts'

export function handoffRow(run: Run, diff: HandoffDiff): Row {
  const { handoff, sizes } = diff
  const sent = handoff.sent?.event
  const received = handoff.receipts[0]?.event
  const verdict = handoff.verdicts.at(-1)?.event
  return {
    run: run.id,
    handoff: handoff.id,
    attempt: handoff.attempt,
    mode: handoff.mode,
    from_agent: handoff.from,
    to_agent: handoff.to,
    received_by: received?.by,
    reason: handoff.reason,
    requested_action: sent?.requested_action,
    verdict: verdict?.verdict,
    verdict_at: timestampValue(verdict?.at),
    outcome: outcomeOf(handoff),
    evidence: textOf(sent?.evidence) ?? textOf(received?.evidence),
    style: textOf(sent?.policy?.history) ?? textOf(sent?.policy?.filter),
    sent_at: timestampValue(sent?.at),
    received_at: timestampValue(received?.at),
    accepted_at: timestampValue(handoff.accepted?.event.at),
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
    filtered: mapValue(Object.entries(diff.items.droppedByType).map(([key, value]) => ({ key, value }))),
    ...openOperations(diff),
    ...constraintHashes(diff),
    record_fields: listValue(diff.receipt?.record?.fields ?? []),
    contract_fields: listValue(
      diff.contract.filter((field) => field.received === 'present').map((field) => field.field),
    ),
    origin: diff.origin.verdict,
    trace: diff.correlation.trace,
    task: diff.correlation.task,
    input_hash: hashOf(sent?.items_before),
    payload_hash:
      received &&
      hashOf(
        [received.items, received.record, received.instructions, received.tools].map((part) => part ?? null),
      ),
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

function openOperations(diff: HandoffDiff): Row {
  const open = diff.operations.filter((crossing) => crossing.inDoubt)
  const carried = open.filter((crossing) => crossing.degree === 'carried')
  const keys = (crossings: typeof open) =>
    listValue(crossings.flatMap((crossing) => crossing.version.key ?? []))
  return {
    in_doubt: open.length,
    carried: carried.length,
    open_keys: keys(open),
    carried_keys: keys(carried),
  }
}

function constraintHashes(diff: HandoffDiff): Row {
  const hashes = (crossings: HandoffDiff['constraints']) =>
    listValue(crossings.flatMap((crossing) => firstBytes(crossing.constraint.hash) ?? []))
  return {
    constraint_hashes_sent: hashes(diff.constraints),
    constraint_hashes_received: hashes(diff.constraints.filter((crossing) => crossing.degree === 'same')),
  }
}

/** The first 8 bytes of a hash that is written as `sha256:` and hexadecimal digits. */
export function firstBytes(hash: string): bigint | undefined {
  const digits = /:([0-9a-f]{16})/.exec(hash)?.[1]
  return digits === undefined ? undefined : BigInt(`0x${digits}`)
}

function hashOf(value: unknown): bigint | undefined {
  return value === undefined ? undefined : hash64(JSON.stringify(value))
}
