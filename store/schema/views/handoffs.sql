-- One row for each attempt of a handoff, both sides.
CREATE VIEW handoffs AS SELECT
  run, -- the run
  handoff, -- id of the handoff
  attempt, -- 1 for the first; retries share the handoff id
  mode, -- transfer, delegate, return, resume, escalate or notify
  from_agent, -- the sender
  to_agent, -- whom it was addressed to
  received_by, -- who received it
  reason, -- why, in the sender's words
  requested_action, -- review, continue, approve or execute
  verdict, -- the last verdict: approve, request_changes, block or acknowledge
  verdict_at, -- when it was given
  outcome, -- sent, received, accepted, declined, failed or dead-lettered: how far it came
  evidence, -- how an imported handoff is known: explicit, tool_argument, nesting, next_span or topology; null if it was captured
  style, -- the forwarding style, where the declared policy names one
  sent_at, -- when it was sent
  received_at, -- when it was first received
  accepted_at, -- when it was accepted
  sent_step, -- step of the sending in the run
  received_step, -- step of the first receipt
  deliveries, -- number of receipts; more than one is a repeated delivery
  items_before, -- number of items that the sender had; null if not captured
  items_after, -- number of items that the receiver's model got; null if not captured
  bytes_before, -- bytes of the sender's items as compact JSON
  bytes_after, -- bytes of the receiver's items as compact JSON
  tokens_before, -- tokens of the sender's items, counted by token_method
  tokens_after, -- tokens of the receiver's items
  token_method, -- how tokens were counted: bytes/4 is an estimate
  record_bytes, -- bytes of the received record as compact JSON; null if none crossed
  instructions_bytes, -- bytes of the receiver's instructions; null if not captured
  filtered, -- map of item type to the number of items dropped
  in_doubt, -- number of the sender's writes in doubt at that moment
  carried, -- number of them that crossed in the record, unchanged
  open_keys, -- list of the idempotency keys of the writes in doubt
  carried_keys, -- list of those of them that crossed in the record, unchanged
  constraint_hashes_sent, -- list of hashes of the constraints active at the sender (first 8 bytes of their sha256)
  constraint_hashes_received, -- list of those of them that crossed unchanged
  record_fields, -- list of the names of the fields of the received record
  contract_fields, -- list of the contract fields that are present and not empty in the received record
  origin, -- same, absent, changed, escalated or not judged
  trace, -- same, broken or not judged: the trace across the boundary
  task, -- same, broken or not judged: the task or context id across the boundary
  input_hash, -- hash of the sender's items (first 8 bytes of the sha256 of their compact JSON)
  payload_hash, -- hash of the receiver's items, record, instructions and tools, made in the same way
  trace_id, -- W3C trace id of the sending
  span_id -- W3C span id of the sending
FROM base.handoffs;
