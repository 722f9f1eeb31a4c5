-- name: corrections
-- title: Calls of the receiver that had to be corrected
-- question: How much of what the receiver does is undone, rejected or repeated later?
-- note: A call counts once, in this order. What undoes is known by the first word of its tool; see handoffs.calls_undone.
-- agent: receiver
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: (undone + rejected + repeated) / calls
-- column: calls [count]: calls of the receivers
-- column: undone [count]: writes that a later write takes back
-- column: rejected [count]: calls whose approval was rejected
-- column: repeated [count]: writes whose effect was made again later without a common key
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
  sum(calls_undone + calls_rejected + calls_repeated) / nullif(sum(calls), 0) AS value,
  sum(calls) AS calls,
  sum(calls_undone) AS undone,
  sum(calls_rejected) AS rejected,
  sum(calls_repeated) AS repeated
FROM scope GROUP BY slice ORDER BY slice;
