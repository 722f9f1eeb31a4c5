-- name: handoffs
-- title: Handoffs, their sizes and how long they took
-- question: How much is handed over, between whom, and how fast?
-- note: Where the clocks of both sides put the receipt before the sending, no time passed that anybody could tell: it is left out of the latencies.
-- agent: sender
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [count]: handoffs, every attempt counted
-- column: runs [count]: runs with one of them
-- column: pairs [count]: pairs of agents
-- column: transfers [count]: of them, mode transfer
-- column: delegations [count]: mode delegate
-- column: returns [count]: mode return
-- column: others [count]: resume, escalate, notify and other words
-- column: received [count]: received at least once
-- column: median_bytes [bytes]: middle size of the items that crossed
-- column: median_tokens [tokens]: the same in tokens, counted as handoffs.token_method says
-- column: median_record_bytes [bytes]: middle size of the records that crossed
-- column: median_latency_ms [ms]: middle time from sent to received
-- column: p95_latency_ms [ms]: the time that 95 of 100 stay under
-- column: skewed [count]: received before they were sent, by their clocks: without a latency
WITH scope AS (
  SELECT *, coalesce(CASE getvariable('slice')::VARCHAR
      WHEN 'pair' THEN pair
      WHEN 'agent' THEN from_agent
      WHEN 'day' THEN time::DATE::VARCHAR
      WHEN 'framework' THEN framework
      WHEN 'style' THEN style
      ELSE 'all' END, '(not named)') AS slice
  FROM handoffs
  WHERE coalesce(time, '-infinity') >= coalesce(getvariable('since')::TIMESTAMP, '-infinity')
    AND coalesce(time, '-infinity') < coalesce(getvariable('until')::TIMESTAMP, 'infinity')
), timed AS (
  SELECT *, epoch_us(received_at) - epoch_us(sent_at) AS latency FROM scope
)
SELECT
  slice,
  count(*) AS value,
  count(DISTINCT run) AS runs,
  count(DISTINCT pair) AS pairs,
  count(*) FILTER (mode = 'transfer') AS transfers,
  count(*) FILTER (mode = 'delegate') AS delegations,
  count(*) FILTER (mode = 'return') AS returns,
  count(*) FILTER (mode NOT IN ('transfer', 'delegate', 'return')) AS others,
  count(*) FILTER (deliveries > 0) AS received,
  median(bytes_after) AS median_bytes,
  median(tokens_after) AS median_tokens,
  median(record_bytes) AS median_record_bytes,
  median(latency) FILTER (latency >= 0) / 1000 AS median_latency_ms,
  quantile_cont(latency, 0.95) FILTER (latency >= 0) / 1000 AS p95_latency_ms,
  count(*) FILTER (latency < 0) AS skewed
FROM timed GROUP BY slice ORDER BY slice;
