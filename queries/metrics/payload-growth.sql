-- name: payload-growth
-- title: Growth of the payload per hop
-- question: Does each handoff of a chain carry the earlier ones again?
-- agent: sender
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [ratio]: middle growth: tokens over those of the hop before
-- column: hops [count]: hops with one before them
-- column: growing [share]: of them larger than the one before
-- column: p95 [ratio]: the growth that 95 of 100 stay under
-- column: largest [ratio]: the largest growth
-- column: longest_chain [count]: hops of the longest chain
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
  median(growth) AS value,
  count(growth) AS hops,
  count(*) FILTER (growth > 1) / nullif(count(growth), 0) AS growing,
  quantile_cont(growth, 0.95) AS p95,
  max(growth) AS largest,
  max(hop) AS longest_chain
FROM scope GROUP BY slice ORDER BY slice;
