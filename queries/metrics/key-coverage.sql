-- name: key-coverage
-- title: Writes in doubt whose key crossed
-- question: Of the writes that were unsettled when control passed, how many reached the receiver with their key?
-- agent: sender
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: carried / in_doubt
-- column: handoffs [count]: received handoffs with a write in doubt
-- column: in_doubt [count]: writes in doubt at these handoffs
-- column: carried [count]: in the record, unchanged
-- column: altered [count]: key in the record, with other tool, arguments or state
-- column: key_in_words [count]: key in the words only
-- column: described [count]: the call is visible, without its key
-- column: mentioned [count]: only narrated; a guess
-- column: absent [count]: nothing of it crossed
-- column: without_key [count]: of in_doubt: never had a key
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
  sum(carried) / nullif(sum(in_doubt), 0) AS value,
  count(*) AS handoffs,
  sum(in_doubt) AS in_doubt,
  sum(carried) AS carried,
  sum(altered) AS altered,
  sum(key_in_words) AS key_in_words,
  sum(described) AS described,
  sum(mentioned) AS mentioned,
  sum(absent) AS absent,
  sum(in_doubt - len(open_keys)) AS without_key
FROM scope WHERE in_doubt > 0 GROUP BY slice ORDER BY slice;
