-- One row for each item on each side of a handoff. The content is in events.body.
CREATE VIEW items AS SELECT
  run, -- the run
  handoff, -- id of the handoff
  attempt, -- attempt of the handoff
  side, -- sender (items_before) or receiver (items)
  position, -- index in the verbatim list, from 0
  path, -- where it stands, such as items[2] or items[2].content[0]
  item, -- its id
  type, -- message, tool_call, tool_result, reasoning, summary, file, approval, constraint, note or another word
  role, -- user, assistant, system, developer or tool
  author, -- who wrote it
  tool, -- tool of a call or result
  bytes, -- bytes of the verbatim item as compact JSON; 0 for the second and later parts of one item
  tokens, -- tokens of the verbatim item, counted as handoffs.token_method says; 0 for later parts
  content_hash, -- first 8 bytes of the sha256 of the verbatim item as compact JSON
  fate, -- kept, changed, dropped, added, duplicated or folded; null if one side was not captured
  reordered, -- true if its order among the kept items changed
  orphaned -- why it stands alone at the receiver; null if it does not
FROM base.items;
