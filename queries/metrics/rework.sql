-- name: rework
-- title: Runs completed without the work being redone
-- question: How many runs reach their end without anybody doing another agent's work again?
-- note: With a slice, a run counts in each one in which it has a handoff, with the calls made under those handoffs.
-- agent: receiver
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: clean / completed
-- column: runs [count]: runs with a handoff
-- column: completed [count]: of them with run.end, unless its outcome is failed
-- column: clean [count]: of those without redone work
-- column: redone [count]: calls that do another agent's work again, in all of the runs
WITH scope AS (
  SELECT *, coalesce(CASE getvariable('slice')::VARCHAR
      WHEN 'pair' THEN pair
      WHEN 'agent' THEN coalesce(received_by, to_agent)
      WHEN 'day' THEN time::DATE::VARCHAR
      WHEN 'framework' THEN framework
      WHEN 'style' THEN style
      ELSE 'all' END, '(not named)') AS slice
  FROM handoffs
  WHERE coalesce(time, '-infinity') >= coalesce(getvariable('since')::TIMESTAMP, '-infinity')
    AND coalesce(time, '-infinity') < coalesce(getvariable('until')::TIMESTAMP, 'infinity')
), judged AS (
  SELECT slice, run, sum(redone_calls) AS redone, bool_or(done) AS completed
  FROM scope JOIN (SELECT run, ended AND outcome IS DISTINCT FROM 'failed' AS done FROM runs) USING (run)
  GROUP BY slice, run
)
SELECT
  slice,
  count(*) FILTER (completed AND redone = 0) / nullif(count(*) FILTER (completed), 0) AS value,
  count(*) AS runs,
  count(*) FILTER (completed) AS completed,
  count(*) FILTER (completed AND redone = 0) AS clean,
  sum(redone) AS redone
FROM judged GROUP BY slice ORDER BY slice;
