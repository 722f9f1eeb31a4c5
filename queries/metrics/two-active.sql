-- name: two-active
-- title: Handoffs after which two agents act
-- question: Does the old agent stop when control has passed?
-- note: Counts findings of a check: where the configuration turns it off, there are none.
-- agent: sender
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: overlapping / handoffs
-- column: handoffs [count]: received handoffs
-- column: overlapping [count]: of them with a finding of the check two-active
-- column: runs [count]: runs in which that happened
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
), overlapping AS (
  SELECT DISTINCT run, handoff, attempt, true AS found FROM findings
  WHERE check_id = 'two-active' AND handoff IS NOT NULL
)
SELECT
  slice,
  count(found) / count(*) AS value,
  count(*) AS handoffs,
  count(found) AS overlapping,
  count(DISTINCT run) FILTER (found) AS runs
FROM scope LEFT JOIN overlapping USING (run, handoff, attempt) WHERE deliveries > 0 GROUP BY slice ORDER BY slice;
