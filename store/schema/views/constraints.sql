-- One row a constraint.
CREATE VIEW constraints AS SELECT
  run, -- the run
  constraint_id, -- its id
  text, -- its text
  rule, -- JSON: the machine-checkable form (`check` in the log)
  scope, -- JSON
  active, -- false once it was revoked
  hash, -- first 8 bytes of its sha256, as in handoffs.constraint_hashes_sent
  stated_at, -- when it was stated
  revoked_at, -- when it was revoked
  first_step, -- step of its first event
  last_step -- step of its latest event
FROM base.constraints;
