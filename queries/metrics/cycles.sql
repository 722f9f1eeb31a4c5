-- name: cycles
-- title: Tasks that go round
-- question: How many handoffs send the same task the same way again, with no person and no new result in between?
-- agent: sender
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: again / handoffs
-- column: handoffs [count]: handoffs
-- column: again [count]: of them whose task had come the same way before
-- column: longest [count]: how often the same task went the same way at most
-- column: runs [count]: runs in which that happened three times or more
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
  count(*) FILTER (lap > 1) / count(*) AS value,
  count(*) AS handoffs,
  count(*) FILTER (lap > 1) AS again,
  max(lap) AS longest,
  count(DISTINCT run) FILTER (lap >= 3) AS runs
FROM scope GROUP BY slice ORDER BY slice;
