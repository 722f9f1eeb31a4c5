-- One row an approval.
CREATE VIEW approvals AS SELECT
  run, -- the run
  approval, -- its id
  operation, -- the operation that waits
  action, -- what is to be allowed
  scope, -- JSON: what exactly a yes would allow
  agent, -- the agent that asked
  state, -- latest state: pending, approved, rejected or consumed
  decided_by, -- who decided
  delivered_to, -- the agent that the answer went to
  reason, -- reason of the decision
  asked_at, -- time of its first event
  decided_at, -- time of the first event that is no longer pending
  first_step, -- step of its first event
  last_step -- step of its latest event
FROM base.approvals;
