-- One row an operation, as the whole log knows it.
CREATE VIEW operations AS SELECT
  run, -- the run
  operation, -- id, unique in the run
  op, -- id as the log has it
  tool, -- tool
  effect, -- read or write
  effect_assumed, -- true if the log does not say and write is taken
  agent, -- the agent that began it
  key, -- idempotency key
  call, -- the model's tool-call id
  state, -- latest state: proposed, sent, settled, failed, unknown or closed
  in_doubt, -- true for a write in state sent or unknown at the end of the log
  attempts, -- highest attempt
  approval, -- the approval that it waits for
  settled_by, -- reply, key, closed, details or awaited
  intent, -- why, as the log says
  truth, -- what the outside world really did, where the log knows
  args_hash, -- hash of the arguments (first 8 bytes of the sha256 of their canonical JSON)
  args, -- arguments, JSON
  effect_hash, -- hash of tool and arguments without the key: equal for calls that would have the same effect
  handoff, -- the handoff it was made under: the latest that its agent had received; null before the first
  attempt, -- attempt of that handoff
  redundant, -- true for a read whose settled result the sender had
  repeats, -- the earlier operation whose effect it makes again while that one may have landed; itself for a second attempt
  repeated_by, -- key: both have one key, so that the service can tell; arguments: the same tool and arguments, and no key in common
  correction, -- undone, rejected or repeated later (see handoffs.calls_undone and following)
  started_at, -- time of its first event
  settled_at, -- time at which it was settled, failed or closed
  first_step, -- step of its first event
  last_step -- step of its latest event
FROM base.operations;
