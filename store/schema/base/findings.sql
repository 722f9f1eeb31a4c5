-- Derived: one row a finding. Its time and what else it is counted by are copies from its handoff: joining them back
-- takes half of the time of a count.
CREATE TABLE base.findings (
  run VARCHAR NOT NULL,
  handoff VARCHAR,
  attempt INTEGER,
  check_id VARCHAR NOT NULL,
  severity VARCHAR NOT NULL,
  agents VARCHAR[] NOT NULL,
  subject_kind VARCHAR NOT NULL,
  subject VARCHAR NOT NULL,
  message VARCHAR NOT NULL,
  evidence JSON NOT NULL,
  remedy VARCHAR NOT NULL,
  attribution VARCHAR,
  fingerprint VARCHAR NOT NULL,
  time TIMESTAMP,
  pair VARCHAR,
  framework VARCHAR,
  style VARCHAR
);
