-- name: constraint-retention
-- title: Active constraints that crossed
-- question: Do the rules that bind the plan cross, and who is to blame where they are broken?
-- agent: sender
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: same / constraints
-- column: handoffs [count]: received handoffs with an active constraint
-- column: constraints [count]: active constraints at these handoffs
-- column: same [count]: crossed with the same hash
-- column: reworded [count]: crossed in other words
-- column: in_words [count]: crossed verbatim, in the words only
-- column: dropped [count]: did not cross: dropped at the handoff
-- column: not_followed [count]: crossed and were broken afterwards: carried, not followed
-- column: not_in_state [count]: broken, and the sender never had them; not among constraints
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
  sum(len(constraint_hashes_received)) / nullif(sum(len(constraint_hashes_sent)), 0) AS value,
  count(*) FILTER (len(constraint_hashes_sent) > 0) AS handoffs,
  sum(len(constraint_hashes_sent)) AS constraints,
  sum(len(constraint_hashes_received)) AS same,
  sum(constraints_reworded) AS reworded,
  sum(constraints_in_words) AS in_words,
  sum(constraints_absent) AS dropped,
  sum(constraints_not_followed) AS not_followed,
  sum(constraints_not_in_state) AS not_in_state
FROM scope GROUP BY slice ORDER BY slice;
