-- name: determinism
-- title: Equal inputs that gave equal payloads
-- question: Does the same input give the same payload each time?
-- note: The payload is what the model reads: items, instructions and tools. Ids, times and random strings are left out, and so is the record, whose keys and results are each run's own.
-- agent: sender
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: same / inputs
-- column: inputs [count]: inputs (items and brief of the same pair and mode) that were handed over more than once, both sides captured
-- column: same [count]: of them with one payload only
-- column: differing [count]: of them with several
-- column: handoffs [count]: handoffs of these inputs
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
), inputs AS (
  SELECT slice, count(*) AS times, min(payload_hash) = max(payload_hash) AS same
  FROM scope WHERE input_hash IS NOT NULL AND items_after IS NOT NULL
  GROUP BY slice, pair, mode, input_hash HAVING count(*) > 1
)
SELECT
  slice,
  count(*) FILTER (same) / count(*) AS value,
  count(*) AS inputs,
  count(*) FILTER (same) AS same,
  count(*) FILTER (NOT same) AS differing,
  sum(times) AS handoffs
FROM inputs GROUP BY slice ORDER BY slice;
