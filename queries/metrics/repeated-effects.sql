-- name: repeated-effects
-- title: Effects made more than once
-- question: How many writes make an effect again that may have landed already?
-- note: Judged as the check side-effect-repeated judges. Calls before the first handoff of a run are left out; operations.repeats has them.
-- agent: receiver
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: by_arguments / writes
-- column: writes [count]: writes that left under a handoff
-- column: by_arguments [count]: same tool and arguments as one that may have landed, and no key in common: the effect is made twice
-- column: by_key [count]: under the key of the earlier one: the service can tell
-- column: handoffs [count]: handoffs with a repeat of the first kind
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
  sum(repeats_by_arguments) / nullif(sum(writes), 0) AS value,
  sum(writes) AS writes,
  sum(repeats_by_arguments) AS by_arguments,
  sum(repeats_by_key) AS by_key,
  count(*) FILTER (repeats_by_arguments > 0) AS handoffs
FROM scope GROUP BY slice ORDER BY slice;
