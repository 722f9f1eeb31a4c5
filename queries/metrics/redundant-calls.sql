-- name: redundant-calls
-- title: Calls after a handoff that were answered before it
-- question: How much does the receiver ask again that the sender had answered?
-- note: Judged as the check redundant-call judges.
-- agent: receiver
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: redundant / calls
-- column: handoffs [count]: received handoffs with a call
-- column: calls [count]: calls of the receivers
-- column: redundant [count]: reads whose settled result the sender had
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
)
SELECT
  slice,
  sum(redundant_calls) / nullif(sum(calls), 0) AS value,
  count(*) FILTER (calls > 0) AS handoffs,
  sum(calls) AS calls,
  sum(redundant_calls) AS redundant
FROM scope GROUP BY slice ORDER BY slice;
