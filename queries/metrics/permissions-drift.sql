-- name: permissions-drift
-- title: Handoffs at which permissions changed
-- question: Does the receiver get tools that the sender was denied, or lose some that it needs?
-- note: A return and a notice pass nothing on. Where one side has neither rules nor tools on record, nobody can say whether they drifted.
-- agent: sender
-- schema: 6
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: drifted / handoffs
-- column: handoffs [count]: received handoffs that pass work on, with permissions of both sides on record
-- column: drifted [count]: of them with a tool or mode gained or lost
-- column: gained [count]: tools and modes that the sender's rules deny
-- column: lost [count]: tools and modes that the receiver should have and lacks
-- column: not_judged [count]: received handoffs that cannot be judged; not among handoffs
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
  count(*) FILTER (permissions_gained + permissions_lost > 0) / nullif(count(*) FILTER (permissions_judged), 0) AS value,
  count(*) FILTER (permissions_judged) AS handoffs,
  count(*) FILTER (permissions_gained + permissions_lost > 0) AS drifted,
  sum(permissions_gained) AS gained,
  sum(permissions_lost) AS lost,
  count(*) FILTER (NOT permissions_judged) AS not_judged
FROM scope WHERE permissions_judged IS NOT NULL GROUP BY slice ORDER BY slice;
