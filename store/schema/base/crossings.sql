-- Derived: one row for each thing that the sender's runtime knew and how it crossed.
CREATE TABLE base.crossings (
  run VARCHAR NOT NULL,
  handoff VARCHAR NOT NULL,
  attempt INTEGER NOT NULL,
  subject_kind VARCHAR NOT NULL,
  subject VARCHAR NOT NULL,
  degree VARCHAR NOT NULL,
  tool VARCHAR,
  key VARCHAR,
  state VARCHAR,
  in_doubt BOOLEAN,
  guess BOOLEAN,
  verdict_landed VARCHAR,
  verdict_delayed VARCHAR,
  attribution VARCHAR,
  similarity DOUBLE,
  settled VARCHAR,
  settled_by VARCHAR,
  settle_ms DOUBLE,
  detail VARCHAR
);
