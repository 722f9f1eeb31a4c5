-- name: delivery
-- title: What became of handoffs
-- question: Does every handoff arrive, once, in time, under the same correlation?
-- agent: sender
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: received / sent
-- column: sent [count]: handoffs whose sending is on record
-- column: received [count]: of them received
-- column: accepted [count]: accepted
-- column: late [count]: received, with a due time, and answered after it or not at all by then
-- column: declined [count]: declined
-- column: failed [count]: failed before they were received
-- column: dead_lettered [count]: given up
-- column: retries [count]: second and later attempts
-- column: received_twice [count]: attempts received more than once
-- column: trace_broken [count]: the trace did not go on
-- column: task_broken [count]: the task or context id did not cross
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
  count(*) FILTER (sent_step IS NOT NULL AND deliveries > 0) / nullif(count(sent_step), 0) AS value,
  count(sent_step) AS sent,
  count(*) FILTER (sent_step IS NOT NULL AND deliveries > 0) AS received,
  count(*) FILTER (outcome = 'accepted') AS accepted,
  count(*) FILTER (late) AS late,
  count(*) FILTER (outcome = 'declined') AS declined,
  count(*) FILTER (outcome = 'failed') AS failed,
  count(*) FILTER (outcome = 'dead-lettered') AS dead_lettered,
  count(*) FILTER (attempt > 1) AS retries,
  count(*) FILTER (deliveries > 1) AS received_twice,
  count(*) FILTER (trace = 'broken') AS trace_broken,
  count(*) FILTER (task = 'broken') AS task_broken
FROM scope GROUP BY slice ORDER BY slice;
