-- How far each spool segment has been read. Written in the transaction that stores its events: exactly once.
CREATE TABLE base.sources (
  source VARCHAR NOT NULL,
  kind VARCHAR NOT NULL,
  bytes_read BIGINT NOT NULL,
  lines_read BIGINT NOT NULL,
  events BIGINT NOT NULL,
  quarantined BIGINT NOT NULL,
  read_at TIMESTAMP NOT NULL
);
