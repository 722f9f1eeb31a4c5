-- name: time-to-first-correct-action
-- title: Time until the receiver does something right
-- question: How long does it take from the receipt to the first call that is neither redundant, repeated, refused nor a question already answered?
-- note: A question already answered stands in the call's arguments, in the words of another agent, and the user spoke after it.
-- note: Refused: it failed, its key was closed before it landed, or its approval was rejected.
-- note: Receipts and calls whose time is not on record are left out.
-- agent: receiver
-- schema: 6
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [ms]: middle time from receipt to the first correct call
-- column: p95_ms [ms]: the time that 95 of 100 stay under
-- column: received [count]: received handoffs
-- column: acted [count]: of them with a call
-- column: correct [count]: of those with a correct one
-- column: detours [count]: of those where another call left first
-- column: median_first_ms [ms]: middle time to the first call of any kind
-- column: skewed [count]: handoffs with a first or first correct call before the receipt, by their clocks: that time is left out
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
), timed AS (
  SELECT *, epoch_us(first_call_at) - epoch_us(received_at) AS first,
    epoch_us(first_correct_call_at) - epoch_us(received_at) AS correct
  FROM scope WHERE received_at IS NOT NULL
)
SELECT
  slice,
  median(correct) FILTER (correct >= 0) / 1000 AS value,
  quantile_cont(correct, 0.95) FILTER (correct >= 0) / 1000 AS p95_ms,
  count(*) AS received,
  count(first) AS acted,
  count(correct) AS correct,
  count(*) FILTER (calls_before_correct > 0) AS detours,
  median(first) FILTER (first >= 0) / 1000 AS median_first_ms,
  count(*) FILTER (first < 0 OR correct < 0) AS skewed
FROM timed GROUP BY slice ORDER BY slice;
