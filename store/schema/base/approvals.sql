-- Derived: one row an approval.
CREATE TABLE base.approvals (
  run VARCHAR NOT NULL,
  approval VARCHAR NOT NULL,
  operation VARCHAR,
  action VARCHAR,
  scope JSON,
  agent VARCHAR,
  state VARCHAR NOT NULL,
  decided_by VARCHAR,
  delivered_to VARCHAR,
  reason VARCHAR,
  asked_at TIMESTAMP,
  decided_at TIMESTAMP,
  first_step INTEGER NOT NULL,
  last_step INTEGER NOT NULL
);
