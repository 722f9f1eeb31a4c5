-- Derived: one row a run. `settings` is the hash of the configuration under which the run was judged (replay/plain-settings.ts).
CREATE TABLE base.runs (
  run VARCHAR NOT NULL,
  started_at TIMESTAMP,
  ended_at TIMESTAMP,
  last_at TIMESTAMP,
  ended BOOLEAN NOT NULL,
  outcome VARCHAR,
  principal_kind VARCHAR,
  principal_id VARCHAR,
  replay_of VARCHAR,
  labels JSON,
  agents VARCHAR[] NOT NULL,
  events INTEGER NOT NULL,
  handoffs INTEGER NOT NULL,
  operations INTEGER NOT NULL,
  in_doubt INTEGER NOT NULL,
  findings INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  warnings INTEGER NOT NULL,
  worst VARCHAR,
  settings VARCHAR NOT NULL DEFAULT ''
);
