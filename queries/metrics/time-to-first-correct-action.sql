-- name: time-to-first-correct-action
-- title: Time until the receiver does something right
-- question: How long does it take from the receipt to the first call that is neither redundant, repeated, refused nor a question already answered?
-- note: A question already answered stands in the call's arguments, in the words of another agent, and the user spoke after it.
-- note: Refused: it failed, its key was closed before it landed, or its approval was rejected.
-- note: Receipts and calls whose time is not on record are left out.
-- agent: receiver
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [ms]: middle time from receipt to the first correct call
-- column: p95_ms [ms]: the time that 95 of 100 stay under
-- column: received [count]: received handoffs
-- column: acted [count]: of them with a call
-- column: correct [count]: of those with a correct one
-- column: detours [count]: of those where another call came first, by their times
-- column: median_first_ms [ms]: middle time to the first call of any kind
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
  median(epoch_us(first_correct_call_at) - epoch_us(received_at)) / 1000 AS value,
  quantile_cont(epoch_us(first_correct_call_at) - epoch_us(received_at), 0.95) / 1000 AS p95_ms,
  count(*) AS received,
  count(first_call_at) AS acted,
  count(first_correct_call_at) AS correct,
  count(*) FILTER (first_correct_call_at > first_call_at) AS detours,
  median(epoch_us(first_call_at) - epoch_us(received_at)) / 1000 AS median_first_ms
FROM scope WHERE received_at IS NOT NULL GROUP BY slice ORDER BY slice;
