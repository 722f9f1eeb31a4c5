-- Lines that are no events, so that they are neither lost nor in the way. `line` is cut; `bytes` is its full length.
CREATE TABLE base.quarantine (
  id UBIGINT NOT NULL,
  source VARCHAR NOT NULL,
  line_number BIGINT NOT NULL,
  byte_offset BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  reason VARCHAR NOT NULL,
  line VARCHAR NOT NULL USING COMPRESSION zstd,
  found_at TIMESTAMP NOT NULL
);
