-- name: permissions-drift
-- title: Handoffs at which permissions changed
-- question: Does the receiver get tools that the sender was denied, or lose some that it needs?
-- note: A handoff at which neither rules nor tools are on record counts as not drifted.
-- agent: sender
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: drifted / handoffs
-- column: handoffs [count]: received handoffs
-- column: drifted [count]: of them with a tool or mode gained or lost
-- column: gained [count]: tools and modes that the sender's rules deny
-- column: lost [count]: tools and modes that the receiver should have and lacks
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
  count(*) FILTER (permissions_gained + permissions_lost > 0) / count(*) AS value,
  count(*) AS handoffs,
  count(*) FILTER (permissions_gained + permissions_lost > 0) AS drifted,
  sum(permissions_gained) AS gained,
  sum(permissions_lost) AS lost
FROM scope WHERE deliveries > 0 GROUP BY slice ORDER BY slice;
