-- name: context-size
-- title: Context before and after the handoff
-- question: How much context crosses, and what is dropped on the way?
-- agent: sender
-- schema: 1
-- parameter: since TIMESTAMP = '-infinity': only handoffs sent from then on, UTC
-- parameter: until TIMESTAMP = 'infinity': only handoffs sent before then, UTC
-- parameter: slice VARCHAR = 'all': pair, agent, day, framework or style: a row for each
-- column: slice [text]: what the row is about
-- column: value [ratio]: bytes_after / bytes_before
-- column: handoffs [count]: handoffs with both sides captured
-- column: items_before [count]: items of the senders
-- column: items_after [count]: items that crossed
-- column: bytes_before [bytes]: of the senders' items as compact JSON
-- column: bytes_after [bytes]: of the items that crossed
-- column: tokens_before [tokens]: of the senders' items
-- column: tokens_after [tokens]: of the items that crossed
-- column: dropped_messages [count]: items of type message that were dropped
-- column: dropped_tool_calls [count]: items of type tool_call that were dropped
-- column: dropped_tool_results [count]: items of type tool_result that were dropped
-- column: dropped_reasoning [count]: items of type reasoning that were dropped
-- column: dropped_others [count]: dropped items of other types
-- column: largest_item_bytes [bytes]: the largest item that crossed
-- column: largest_item_type [text]: its type
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
  sum(bytes_after) / nullif(sum(bytes_before), 0) AS value,
  count(*) AS handoffs,
  sum(items_before) AS items_before,
  sum(items_after) AS items_after,
  sum(bytes_before) AS bytes_before,
  sum(bytes_after) AS bytes_after,
  sum(tokens_before) AS tokens_before,
  sum(tokens_after) AS tokens_after,
  coalesce(sum(filtered['message']), 0) AS dropped_messages,
  coalesce(sum(filtered['tool_call']), 0) AS dropped_tool_calls,
  coalesce(sum(filtered['tool_result']), 0) AS dropped_tool_results,
  coalesce(sum(filtered['reasoning']), 0) AS dropped_reasoning,
  coalesce(sum(list_sum(map_values(filtered))), 0) - dropped_messages - dropped_tool_calls - dropped_tool_results
    - dropped_reasoning AS dropped_others,
  max(largest_item_bytes) AS largest_item_bytes,
  arg_max(largest_item_type, largest_item_bytes) AS largest_item_type
FROM scope WHERE bytes_before IS NOT NULL AND bytes_after IS NOT NULL GROUP BY slice ORDER BY slice;
