-- name: constraint-retention
-- title: Active constraints that crossed
-- question: Do the rules that bind the plan cross, and who is to blame where they are broken?
-- note: A return and a notice pass no plan on. Where the payload is not in the log whole, and the record has no list of constraints, nobody can say what crossed.
-- agent: sender
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: same / constraints
-- column: handoffs [count]: received handoffs that pass a plan on, with an active constraint
-- column: constraints [count]: active constraints at these handoffs
-- column: same [count]: crossed with the same hash
-- column: reworded [count]: crossed in other words
-- column: in_words [count]: crossed verbatim, in the words only
-- column: dropped [count]: did not cross: dropped at the handoff
-- column: not_followed [count]: crossed and were broken afterwards: carried, not followed
-- column: not_in_state [count]: broken, and the sender never had them; not among constraints
-- column: not_judged [count]: active at handoffs whose payload is not in the log; not among constraints
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
), judged AS (
  SELECT *, style IS DISTINCT FROM 'server-managed'
    AND (items_after IS NOT NULL OR list_contains(record_fields, 'constraints')) AS whole
  FROM scope WHERE mode NOT IN ('return', 'notify')
)
SELECT
  slice,
  sum(len(constraint_hashes_received)) FILTER (whole) / nullif(sum(len(constraint_hashes_sent)) FILTER (whole), 0) AS value,
  count(*) FILTER (whole AND len(constraint_hashes_sent) > 0) AS handoffs,
  coalesce(sum(len(constraint_hashes_sent)) FILTER (whole), 0) AS constraints,
  coalesce(sum(len(constraint_hashes_received)) FILTER (whole), 0) AS same,
  coalesce(sum(constraints_reworded) FILTER (whole), 0) AS reworded,
  coalesce(sum(constraints_in_words) FILTER (whole), 0) AS in_words,
  coalesce(sum(constraints_absent) FILTER (whole), 0) AS dropped,
  coalesce(sum(constraints_not_followed) FILTER (whole), 0) AS not_followed,
  sum(constraints_not_in_state) AS not_in_state,
  coalesce(sum(len(constraint_hashes_sent)) FILTER (NOT whole), 0) AS not_judged
FROM judged GROUP BY slice ORDER BY slice;
