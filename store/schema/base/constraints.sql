-- Derived: one row a constraint.
CREATE TABLE base.constraints (
  run VARCHAR NOT NULL,
  constraint_id VARCHAR NOT NULL,
  text VARCHAR NOT NULL,
  rule JSON,
  scope JSON,
  active BOOLEAN NOT NULL,
  hash UBIGINT,
  stated_at TIMESTAMP,
  revoked_at TIMESTAMP,
  first_step INTEGER NOT NULL,
  last_step INTEGER NOT NULL
);
