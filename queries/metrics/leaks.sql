-- name: leaks
-- title: Handoffs that let something through
-- question: Do sensitive values or dropped results survive in the words?
-- agent: sender
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: leaking / handoffs
-- column: handoffs [count]: received handoffs of whose payload something is in the log
-- column: leaking [count]: of them with a leak
-- column: sensitive [count]: places that hold a value marked sensitive
-- column: dropped_results [count]: stretches of dropped tool results that survive in other words
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
)
SELECT
  slice,
  count(*) FILTER (leaks_sensitive + leaks_dropped_results > 0) / count(*) AS value,
  count(*) AS handoffs,
  count(*) FILTER (leaks_sensitive + leaks_dropped_results > 0) AS leaking,
  sum(leaks_sensitive) AS sensitive,
  sum(leaks_dropped_results) AS dropped_results
FROM scope
WHERE deliveries > 0 AND coalesce(items_after, instructions_bytes, record_bytes) IS NOT NULL
GROUP BY slice ORDER BY slice;
