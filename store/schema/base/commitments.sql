-- Derived: one row a promise.
CREATE TABLE base.commitments (
  run VARCHAR NOT NULL,
  commitment VARCHAR NOT NULL,
  text VARCHAR NOT NULL,
  agent VARCHAR,
  open BOOLEAN NOT NULL,
  made_at TIMESTAMP,
  closed_at TIMESTAMP,
  first_step INTEGER NOT NULL,
  last_step INTEGER NOT NULL
);
