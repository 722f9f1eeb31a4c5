-- name: completeness
-- title: Contract fields that reached the receiver
-- question: How much of the task contract (intent, constraints, status, evidence, next action, stop condition) crosses?
-- note: A return and a notice give no task. An empty list or object answers a field, an empty text does not. Spans hold no record, so handoffs read from them are left out.
-- agent: sender
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: answered fields / (6 * handoffs)
-- column: handoffs [count]: received handoffs that give a task
-- column: complete [share]: of them with all six fields
-- column: intent [share]: of them with this field answered
-- column: constraints [share]: of them with this field answered
-- column: status [share]: of them with this field answered
-- column: evidence [share]: of them with this field answered
-- column: next_action [share]: of them with this field answered
-- column: stop_condition [share]: of them with this field answered
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
  sum(len(contract_fields)) / (6 * count(*)) AS value,
  count(*) AS handoffs,
  count(*) FILTER (len(contract_fields) = 6) / count(*) AS complete,
  count(*) FILTER (list_contains(contract_fields, 'intent')) / count(*) AS intent,
  count(*) FILTER (list_contains(contract_fields, 'constraints')) / count(*) AS constraints,
  count(*) FILTER (list_contains(contract_fields, 'status')) / count(*) AS status,
  count(*) FILTER (list_contains(contract_fields, 'evidence')) / count(*) AS evidence,
  count(*) FILTER (list_contains(contract_fields, 'next_action')) / count(*) AS next_action,
  count(*) FILTER (list_contains(contract_fields, 'stop_condition')) / count(*) AS stop_condition
FROM scope
WHERE deliveries > 0 AND mode NOT IN ('return', 'notify')
  AND (evidence IS NULL OR evidence = 'link' OR record_bytes IS NOT NULL)
GROUP BY slice ORDER BY slice;
