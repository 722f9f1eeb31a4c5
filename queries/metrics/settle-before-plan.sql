-- name: settle-before-plan
-- title: Carried operations settled before the receiver planned
-- question: Does the receiver find out what happened before it plans or writes?
-- agent: receiver
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: before_planning / operations
-- column: operations [count]: writes in doubt that crossed in the record
-- column: before_planning [count]: settled before the first word, model request or write of the receiver
-- column: after_planning [count]: settled later
-- column: not_settled [count]: never settled in the log
-- column: by_key [count]: settled by a look-up or repeat under the key
-- column: by_closing [count]: settled by closing the key
-- column: by_waiting [count]: the reply was awaited or came
-- column: by_details [count]: settled by a look-up without the key: it may be a stranger's
-- column: median_ms [ms]: middle time from receipt to settlement
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
), settled AS (
  SELECT run, handoff, attempt, settled, settled_by, settle_ms FROM crossings WHERE settled IS NOT NULL
)
SELECT
  slice,
  count(*) FILTER (settled = 'before planning') / count(*) AS value,
  count(*) AS operations,
  count(*) FILTER (settled = 'before planning') AS before_planning,
  count(*) FILTER (settled = 'after planning') AS after_planning,
  count(*) FILTER (settled = 'not settled') AS not_settled,
  count(*) FILTER (settled_by = 'key') AS by_key,
  count(*) FILTER (settled_by = 'closed') AS by_closing,
  count(*) FILTER (settled_by IN ('awaited', 'reply')) AS by_waiting,
  count(*) FILTER (settled_by = 'details') AS by_details,
  median(settle_ms) AS median_ms
FROM settled JOIN scope USING (run, handoff, attempt) GROUP BY slice ORDER BY slice;
