-- Derived: one row for each item on each side of a handoff. The content stays in the events.
CREATE TABLE base.items (
  run VARCHAR NOT NULL,
  handoff VARCHAR NOT NULL,
  attempt INTEGER NOT NULL,
  side VARCHAR NOT NULL,
  position INTEGER NOT NULL,
  path VARCHAR NOT NULL,
  item VARCHAR,
  type VARCHAR NOT NULL,
  role VARCHAR,
  author VARCHAR,
  tool VARCHAR,
  bytes BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  content_hash UBIGINT NOT NULL,
  fate VARCHAR,
  reordered BOOLEAN,
  orphaned VARCHAR
);
