-- name: origin-preserved
-- title: Handoffs at which the origin crossed unchanged
-- question: Does the receiver know who started the task?
-- agent: sender
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: same / judged
-- column: judged [count]: handoffs where both sides are on record and the sender knew the principal
-- column: same [count]: the same principal at the receiver
-- column: absent [count]: none at the receiver
-- column: changed [count]: another one
-- column: escalated [count]: one of higher authority
-- column: not_judged [count]: handoffs that cannot be judged
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
  count(*) FILTER (origin = 'same') / nullif(count(*) FILTER (origin <> 'not judged'), 0) AS value,
  count(*) FILTER (origin <> 'not judged') AS judged,
  count(*) FILTER (origin = 'same') AS same,
  count(*) FILTER (origin = 'absent') AS absent,
  count(*) FILTER (origin = 'changed') AS changed,
  count(*) FILTER (origin = 'escalated') AS escalated,
  count(*) FILTER (origin = 'not judged') AS not_judged
FROM scope GROUP BY slice ORDER BY slice;
