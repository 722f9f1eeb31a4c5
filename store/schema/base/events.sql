-- Every event, once. The line is the truth; the other columns are copies of its common fields.
-- No primary key: it costs 5 to 7 times on load. Duplicates are kept out by an anti-join on (id, run) when a batch loads.
-- `line` is JSON without being checked on the way in; `readable` says whether DuckDB can read it, since JavaScript
-- accepts lines that it does not (a lone surrogate) and one such line would fail every query over the column.
CREATE TABLE base.events (
  arrival BIGINT NOT NULL,
  id UBIGINT NOT NULL,
  run VARCHAR NOT NULL,
  writer VARCHAR,
  seq BIGINT,
  time TIMESTAMP,
  kind VARCHAR NOT NULL,
  agent VARCHAR,
  source VARCHAR NOT NULL,
  bytes BIGINT NOT NULL,
  readable BOOLEAN NOT NULL,
  line JSON NOT NULL USING COMPRESSION zstd
);
