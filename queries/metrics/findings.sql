-- name: findings
-- title: Findings by check
-- question: What was found, how often, and is it new?
-- note: A finding belongs to the time of its handoff, or to the start of its run.
-- note: The agent is the first one that the finding names.
-- agent: sender
-- schema: 2
-- parameter: since TIMESTAMP = '-infinity': only findings from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only findings before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [count]: findings
-- column: check_id [text]: id of the check
-- column: severity [text]: error, warning or info
-- column: runs [count]: runs with one
-- column: handoffs [count]: handoffs with one
-- column: faults [count]: different faults: findings with one fingerprint are one
-- column: new [count]: of faults: not found before the window; all of them without --since
WITH scope AS (
  SELECT run, handoff, check_id, severity, fingerprint, time,
    coalesce(CASE getvariable('slice')::VARCHAR
      WHEN 'pair' THEN pair
      WHEN 'agent' THEN agents[1]
      WHEN 'day' THEN time::DATE::VARCHAR
      WHEN 'framework' THEN framework
      WHEN 'style' THEN style
      ELSE 'all' END, '(not named)') AS slice
  FROM findings
  WHERE coalesce(time, '-infinity') < coalesce(getvariable('until')::TIMESTAMP, 'infinity')
), before AS (
  SELECT DISTINCT fingerprint, true AS known FROM scope
  WHERE coalesce(time, '-infinity') < coalesce(getvariable('since')::TIMESTAMP, '-infinity')
)
SELECT
  slice,
  count(*) AS value,
  check_id,
  severity,
  count(DISTINCT run) AS runs,
  count(DISTINCT (run, handoff)) FILTER (handoff IS NOT NULL) AS handoffs,
  count(DISTINCT fingerprint) AS faults,
  count(DISTINCT fingerprint) FILTER (known IS NULL) AS new
FROM scope LEFT JOIN before USING (fingerprint)
WHERE coalesce(time, '-infinity') >= coalesce(getvariable('since')::TIMESTAMP, '-infinity')
GROUP BY slice, check_id, severity ORDER BY slice, value DESC, check_id, severity;
