-- name: artifact-reuse
-- title: References handed over that the receiver used
-- question: Are the references worth handing over?
-- agent: receiver
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: used / handed_over
-- column: handoffs [count]: handoffs with a reference
-- column: handed_over [count]: references in the received evidence, and attached files
-- column: used [count]: of them found in a call or message of the receiver
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
  sum(references_used) / nullif(sum(references_received), 0) AS value,
  count(*) AS handoffs,
  sum(references_received) AS handed_over,
  sum(references_used) AS used
FROM scope WHERE references_received > 0 GROUP BY slice ORDER BY slice;
