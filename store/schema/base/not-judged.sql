-- Derived: what a check could not judge, and why.
CREATE TABLE base.not_judged (
  run VARCHAR NOT NULL,
  handoff VARCHAR,
  check_id VARCHAR NOT NULL,
  reason VARCHAR NOT NULL
);
