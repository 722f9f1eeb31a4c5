-- name: approvals-preserved
-- title: Pending approvals that crossed, and verdicts
-- question: Does a question that waits for a person survive the handoff, and how long does a verdict take?
-- note: With a delegation and a notice the sender stays in charge, and its questions stay with it.
-- agent: sender
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: same / pending
-- column: pending [count]: approvals that waited at the sender when it passed control on
-- column: same [count]: crossed with the same id and scope
-- column: verdicts_asked [count]: handoffs with requested_action approve or review
-- column: verdicts_given [count]: of them with a verdict
-- column: approved [count]: verdict approve
-- column: changes_requested [count]: verdict request_changes
-- column: blocked [count]: verdict block
-- column: acknowledged [count]: verdict acknowledge
-- column: median_verdict_ms [ms]: middle time from receipt to the last verdict
-- column: skewed [count]: verdicts before the receipt, by their clocks: left out of the middle time
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
), asked AS (
  SELECT *, mode NOT IN ('delegate', 'notify') AS passes, epoch_us(verdict_at) - epoch_us(received_at) AS waited
  FROM scope
)
SELECT
  slice,
  sum(approvals_same) FILTER (passes) / nullif(sum(approvals_pending) FILTER (passes), 0) AS value,
  coalesce(sum(approvals_pending) FILTER (passes), 0) AS pending,
  coalesce(sum(approvals_same) FILTER (passes), 0) AS same,
  count(*) FILTER (requested_action IN ('approve', 'review')) AS verdicts_asked,
  count(*) FILTER (requested_action IN ('approve', 'review') AND verdict IS NOT NULL) AS verdicts_given,
  count(*) FILTER (verdict = 'approve') AS approved,
  count(*) FILTER (verdict = 'request_changes') AS changes_requested,
  count(*) FILTER (verdict = 'block') AS blocked,
  count(*) FILTER (verdict = 'acknowledge') AS acknowledged,
  median(waited) FILTER (waited >= 0) / 1000 AS median_verdict_ms,
  count(*) FILTER (waited < 0) AS skewed
FROM asked GROUP BY slice ORDER BY slice;
