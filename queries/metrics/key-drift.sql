-- name: key-drift
-- title: Fields of payloads that came or went
-- question: Which fields of the record and the payload appeared or vanished between two agents?
-- agent: sender
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [share]: of the received handoffs of the pair that hold the field
-- column: pair [text]: sender and receiver
-- column: field [text]: items, instructions, record, or a field of the record as record.name
-- column: change [text]: appeared, vanished, stays, or now and then
-- column: handoffs [count]: handoffs that hold it
-- column: first_seen [time]: first handoff that holds it
-- column: last_seen [time]: last handoff that holds it
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
), shapes AS (
  SELECT slice, pair, record_fields, items_after IS NOT NULL AS items, instructions_bytes IS NOT NULL AS instructions,
    record_bytes IS NOT NULL AS record, count(*) AS times, min(time) AS first_seen, max(time) AS last_seen
  FROM scope WHERE deliveries > 0 GROUP BY ALL
), pairs AS (
  SELECT slice, pair, sum(times) AS total, min(first_seen) AS pair_first, max(last_seen) AS pair_last
  FROM shapes GROUP BY slice, pair
), fields AS (
  SELECT slice, pair, unnest(list_concat(
      list_transform(record_fields, lambda name: 'record.' || name),
      CASE WHEN items THEN ['items'] ELSE [] END,
      CASE WHEN instructions THEN ['instructions'] ELSE [] END,
      CASE WHEN record THEN ['record'] ELSE [] END)) AS field,
    times, first_seen, last_seen
  FROM shapes
), seen AS (
  SELECT slice, pair, field, sum(times) AS handoffs, min(first_seen) AS first_seen, max(last_seen) AS last_seen
  FROM fields GROUP BY slice, pair, field
)
SELECT
  seen.slice,
  handoffs / total AS value,
  seen.pair,
  field,
  CASE
    WHEN handoffs = total THEN 'stays'
    WHEN first_seen > pair_first AND last_seen = pair_last THEN 'appeared'
    WHEN first_seen = pair_first AND last_seen < pair_last THEN 'vanished'
    ELSE 'now and then' END AS change,
  handoffs,
  first_seen,
  last_seen
FROM seen JOIN pairs ON seen.slice = pairs.slice AND seen.pair IS NOT DISTINCT FROM pairs.pair
ORDER BY ALL;
