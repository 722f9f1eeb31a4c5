-- One row for each attempt of a handoff, both sides.
CREATE VIEW handoffs AS SELECT
  run, -- the run
  handoff, -- id of the handoff
  attempt, -- 1 for the first; retries share the handoff id
  mode, -- transfer, delegate, return, resume, escalate or notify
  pair, -- sender and addressee (or receiver), as `orders → billing`
  from_agent, -- the sender
  to_agent, -- whom it was addressed to
  received_by, -- who received it
  framework, -- as the log names it: `framework` of handoff.sent, handoff.received or run.start, or of the labels of run.start
  reason, -- why, in the sender's words
  requested_action, -- review, continue, approve or execute
  verdict, -- the last verdict: approve, request_changes, block or acknowledge
  verdict_at, -- when it was given
  outcome, -- sent, received, accepted, declined, failed or dead-lettered: how far it came
  evidence, -- how an imported handoff is known: explicit, tool_argument, nesting, next_span or topology; null if it was captured
  style, -- the forwarding style, where the declared policy names one
  coalesce(sent_at, received_at) AS time, -- sent_at, or received_at where the sending is not on record: the time by which windows are cut
  sent_at, -- when it was sent
  received_at, -- when it was first received
  accepted_at, -- when it was accepted
  late, -- a received handoff with a due time only: true if it was answered (accepted, declined, a verdict) after it, or not at all by then
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
  largest_item_bytes, -- bytes of the largest item that crossed
  largest_item_type, -- its type
  filtered, -- map of item type to the number of items dropped
  in_doubt, -- number of the sender's writes in doubt at that moment that have to cross: at a return not those of the agent that gets it, at a notice none
  carried, -- number of them that crossed in the record, unchanged
  altered, -- number of them whose key crossed in the record with another tool, arguments or state
  key_in_words, -- number of them whose key stands in the words only
  described, -- number of them that crossed as a visible call without the key
  mentioned, -- number of them of which only narration crossed
  absent, -- number of them of which nothing crossed
  open_keys, -- list of the idempotency keys of the writes in doubt
  carried_keys, -- list of those of them that crossed in the record, unchanged
  constraint_hashes_sent, -- list of hashes of the constraints active at the sender (first 8 bytes of their sha256)
  constraint_hashes_received, -- list of those of them that crossed unchanged
  constraints_reworded, -- number of the sender's active constraints that crossed in other words
  constraints_in_words, -- number of them that crossed verbatim, but in the words only
  constraints_absent, -- number of them that did not cross
  constraints_not_followed, -- number of them that crossed and that a later call of the receiver breaks
  constraints_not_in_state, -- number of constraints that the sender never had and that the receiver breaks
  approvals_pending, -- number of approvals that waited at the sender
  approvals_same, -- number of them that crossed with the same id and scope
  permissions_gained, -- number of tools and modes that the receiver has and the sender's rules deny
  permissions_lost, -- number of tools and modes that the receiver should have and lacks
  permissions_judged, -- true if both sides are on record (the sender's rules and what the receiver has, or the receiver's configured tools and those of its payload); null for a return, a notice or one that nobody received
  leaks_sensitive, -- number of places at the receiver that hold a value marked sensitive
  leaks_dropped_results, -- number of stretches of dropped tool results that survive in other words
  record_fields, -- list of the names of the fields of the received record
  contract_fields, -- list of the contract fields that the received record answers: an empty list or object is an answer, an empty text is none
  calls, -- number of calls of the receiver under this handoff: begun after its receipt and before its next one, and dispatched
  writes, -- number of them that are writes
  repeats_by_key, -- number of these that make an effect again which may have landed, under its key
  repeats_by_arguments, -- number of these that make an effect again which may have landed, without its key
  redundant_calls, -- number of them that are reads whose settled result the sender had (as the check redundant-call judges)
  redone_calls, -- number of them that do another agent's work again: redundant reads, and writes with an effect that may have landed, under no common key
  calls_undone, -- number of them that are writes which a later write takes back: its tool begins with cancel, undo, revert, rollback, release, void, compensate, reverse, retract or withdraw, and an argument is the key, the op id or a value of the result
  calls_rejected, -- number of them whose approval was rejected
  calls_repeated, -- number of them whose effect was made again later without a common key
  first_call_at, -- when the first of them left
  first_correct_call_at, -- when the first of them left that is not redundant, asks nothing that the user had answered, repeats no effect without a common key, and was not refused (failed, closed before it landed, approval rejected)
  calls_before_correct, -- number of them that left before that one; null if none is correct
  references_received, -- number of references in the received record's evidence and of attached files
  references_used, -- number of them that stand in an argument of these calls or in a message of the receiver meanwhile
  hop, -- received handoffs but notices: place in a chain of handoffs, each sent by the receiver of the one before; from 1
  growth, -- tokens of its items over those of the hop before
  lap, -- how often its task has come the same way, itself included, with no turn of a person and no new result in between
  origin, -- same, absent, changed, escalated or not judged
  trace, -- same, broken or not judged: the trace across the boundary
  task, -- same, broken or not judged: the task or context id across the boundary
  input_hash, -- hash of the sender's items and brief without ids, times and random strings (first 8 bytes of a sha256)
  payload_hash, -- hash of what the receiver's model reads: items, instructions and tools, made in the same way
  trace_id, -- W3C trace id of the sending
  span_id -- W3C span id of the sending
FROM base.handoffs;
