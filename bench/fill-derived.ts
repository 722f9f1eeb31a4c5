import type { DuckDBConnection } from '@duckdb/node-api'

/*
 * Derived rows of that many handoffs, as a year of ten handoffs a run and eight agents would leave them, made by DuckDB
 * alone: for each handoff twenty items, ten crossings and four operations, and three findings a run. What varies is drawn
 * from hash(i), so that the same number gives the same rows.
 */

const HANDOFF = `
  'run-' || (i // 10) AS run, 'h-' || i AS handoff, 1 AS attempt,
  ['transfer', 'delegate', 'return', 'transfer'][1 + d(i, 1, 4)] AS mode,
  'agent-' || d(i, 2, 8) AS from_agent, 'agent-' || d(i, 3, 8) AS to_agent, to_agent AS received_by,
  from_agent || ' → ' || to_agent AS pair, ['openai-agents', 'langgraph', 'ai-sdk'][1 + d(i, 4, 3)] AS framework,
  ['full', 'last pair', 'record', NULL][1 + d(i, 5, 4)] AS style, 'goes on with part ' || d(i, 6, 50) AS reason,
  'accepted' AS outcome, TIMESTAMP '2031-01-01' + INTERVAL 31 SECOND * i AS sent_at,
  sent_at + INTERVAL 1 MILLISECOND * (5 + d(i, 7, 900)) AS received_at, received_at AS accepted_at,
  CASE WHEN d(i, 8, 10) = 0 THEN d(i, 9, 2) = 0 END AS late, 10 * (i % 10) AS sent_step, sent_step + 1 AS received_step,
  1 AS deliveries, 20 AS items_before, 5 + d(i, 10, 15) AS items_after, 9000 + d(i, 11, 9000) AS bytes_before,
  2000 + d(i, 12, 9000) AS bytes_after, bytes_before // 4 AS tokens_before, bytes_after // 4 AS tokens_after,
  'bytes/4' AS token_method, 300 + d(i, 13, 900) AS record_bytes, 200 AS instructions_bytes,
  d(i, 14, 4000) AS largest_item_bytes, 'message' AS largest_item_type,
  MAP {'tool_call': d(i, 15, 5)::INTEGER, 'tool_result': d(i, 15, 5)::INTEGER, 'message': d(i, 16, 5)::INTEGER} AS filtered,
  2 AS in_doubt, d(i, 17, 3) AS carried, 0 AS altered, 0 AS key_in_words, 0 AS described, 2 - d(i, 17, 3) AS mentioned,
  0 AS absent, ['order-' || i || ':1', 'order-' || i || ':2'] AS open_keys, open_keys[:d(i, 17, 3)] AS carried_keys,
  [hash(d(i, 18, 9)), hash(d(i, 19, 9)), hash(d(i, 20, 9))] AS constraint_hashes_sent,
  constraint_hashes_sent[:d(i, 21, 4)] AS constraint_hashes_received, 0 AS constraints_reworded,
  0 AS constraints_in_words, 3 - d(i, 21, 4) AS constraints_absent, 0 AS constraints_not_followed,
  0 AS constraints_not_in_state, d(i, 22, 2) AS approvals_pending, d(i, 22, 2) AS approvals_same,
  (d(i, 23, 50) = 0)::INTEGER AS permissions_gained, 0 AS permissions_lost, true AS permissions_judged,
  (d(i, 24, 80) = 0)::INTEGER AS leaks_sensitive,
  0 AS leaks_dropped_results,
  ['intent', 'constraints', 'status', 'evidence', 'next_action', 'stop_condition'][:d(i, 25, 7)] AS contract_fields,
  list_concat(contract_fields, ['correlation_id', 'open_operations']) AS record_fields,
  4 AS calls, 2 AS writes, (d(i, 26, 30) = 0)::INTEGER AS repeats_by_key, (d(i, 27, 60) = 0)::INTEGER AS repeats_by_arguments,
  (d(i, 28, 20) = 0)::INTEGER AS redundant_calls, redundant_calls AS redone_calls, 0 AS calls_undone, 0 AS calls_rejected,
  repeats_by_arguments AS calls_repeated, received_at + INTERVAL 1 MILLISECOND * d(i, 29, 5000) AS first_call_at,
  first_call_at + INTERVAL 1 MILLISECOND * (d(i, 30, 2) * 700) AS first_correct_call_at, d(i, 30, 2) AS calls_before_correct,
  2 AS references_received,
  d(i, 31, 3) AS references_used, 1 + i % 10 AS hop, CASE WHEN i % 10 > 0 THEN 0.5 + d(i, 32, 200) / 100 END AS growth,
  1 + (d(i, 33, 40) = 0)::INTEGER AS lap, ['same', 'same', 'same', 'absent', 'not judged'][1 + d(i, 34, 5)] AS origin,
  'same' AS trace, 'same' AS task, hash(i // 3 * 3 + d(i, 35, 2)) AS input_hash, hash(i // 3 + d(i, 36, 9) // 8) AS payload_hash,
  md5(i::VARCHAR) AS trace_id, md5(i::VARCHAR)[:16] AS span_id`

export async function fillDerived(connection: DuckDBConnection, handoffs: number): Promise<void> {
  await connection.run('CREATE TEMP MACRO d(i, salt, n) AS (hash(i * 64 + salt) % n)::BIGINT')
  const insert = (table: string, columns: string, from = `range(${handoffs}) AS numbers(i)`) =>
    connection.run(`INSERT INTO base.${table} BY NAME SELECT ${columns} FROM ${from}`)
  await insert('handoffs', HANDOFF)
  await insert(
    'runs',
    `'run-' || i AS run, TIMESTAMP '2031-01-01' + INTERVAL 310 SECOND * i AS started_at, started_at AS ended_at,
     started_at AS last_at, true AS ended, 'done' AS outcome, ['a', 'b'] AS agents, 500 AS events, 10 AS handoffs,
     40 AS operations, 0 AS in_doubt, 3 AS findings, 1 AS errors, 2 AS warnings, 'error' AS worst`,
    `range(${Math.ceil(handoffs / 10)}) AS numbers(i)`,
  )
  await insert(
    'crossings',
    `'run-' || (i // 10) AS run, 'h-' || i AS handoff, 1 AS attempt, kind AS subject_kind, kind || '-' || n AS subject,
     ['carried', 'mentioned', 'absent'][1 + d(i, n, 3)] AS degree,
     CASE WHEN kind = 'operation' THEN true END AS in_doubt,
     CASE WHEN kind = 'operation' AND degree = 'carried'
       THEN ['before planning', 'after planning', 'not settled'][1 + d(i, n + 40, 3)] END AS settled,
     CASE WHEN settled IN ('before planning', 'after planning') THEN ['key', 'closed'][1 + d(i, n + 50, 2)] END AS settled_by,
     CASE WHEN settled_by IS NOT NULL THEN d(i, n + 55, 9000) END AS settle_ms`,
    `range(${handoffs}) AS numbers(i), (SELECT unnest(['operation', 'operation', 'constraint', 'origin', 'contract',
       'contract', 'contract', 'contract', 'contract', 'contract']) AS kind, generate_subscripts(range(10), 1) AS n)`,
  )
  await insert(
    'operations',
    `'run-' || (i // 40) AS run, 'op-' || i AS operation, operation AS op, 'tool-' || d(i, 1, 9) AS tool,
     ['read', 'write'][1 + i % 2] AS effect, false AS effect_assumed, 'agent-' || d(i, 2, 8) AS agent, 'settled' AS state,
     false AS in_doubt, 1 AS attempts, hash(i) AS effect_hash, 'h-' || (i // 4) AS handoff, 1 AS attempt,
     false AS redundant, i AS first_step, i + 1 AS last_step`,
    `range(${handoffs * 4}) AS numbers(i)`,
  )
  await insert(
    'findings',
    `'run-' || (i // 3) AS run, h.handoff, h.attempt, ['two-active', 'redundant-call', 'constraint-dropped',
       'op-in-doubt-key-missing', 'payload-growth'][1 + d(i, 1, 5)] AS check_id,
     ['error', 'warning'][1 + d(i, 2, 2)] AS severity, ['agent-' || d(i, 3, 8), 'agent-' || d(i, 4, 8)] AS agents,
     'handoff' AS subject_kind, 'h-' || i AS subject, 'what is wrong with it' AS message, '[]' AS evidence,
     'what to do' AS remedy, md5(check_id || d(i, 5, 500)) AS fingerprint,
     coalesce(h.sent_at, TIMESTAMP '2031-01-01' + INTERVAL 310 SECOND * (i // 3)) AS time, h.pair, h.framework, h.style`,
    `(SELECT i, CASE WHEN i % 9 > 0 THEN 'h-' || (i // 3 * 10 + i % 3) END AS about
      FROM range(${Math.floor((handoffs * 3) / 10)}) AS numbers(i))
     LEFT JOIN base.handoffs h ON h.handoff = about`,
  )
  await insert(
    'items',
    `'run-' || (i // 200) AS run, 'h-' || (i // 20) AS handoff, 1 AS attempt,
     CASE WHEN i % 20 < 12 THEN 'sender' ELSE 'receiver' END AS side, i % 20 AS position,
     'items[' || (i % 20) || ']' AS path, 'i-' || (i // 20 * 3 + i % 12) AS item,
     ['message', 'tool_call', 'tool_result', 'message'][1 + i % 4] AS type,
     ['user', 'assistant', NULL][1 + d(i, 1, 3)] AS role, 'agent-' || d(i, 2, 8) AS author,
     CASE WHEN i % 4 IN (1, 2) THEN 'tool-' || d(i, 3, 9) END AS tool, 80 + d(i, 4, 1500) AS bytes, bytes // 4 AS tokens,
     hash(i // 20 * 3 + i % 12) AS content_hash, ['kept', 'kept', 'dropped', 'changed'][1 + d(i, 5, 4)] AS fate,
     false AS reordered`,
    `range(${handoffs * 20}) AS numbers(i)`,
  )
}
