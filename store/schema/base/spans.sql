-- Spans of other people's instrumentation, each once, as they came (otlp/span.ts). `run` is the run they were read into, null
-- until then. `keys` are hashes of the ids that a provider gave (answers, calls): by them two traces of one run find each
-- other. `named_run` is the run that a span of handspan names.
CREATE TABLE base.spans (
  id UBIGINT NOT NULL,
  trace VARCHAR NOT NULL,
  span VARCHAR NOT NULL,
  parent VARCHAR,
  name VARCHAR NOT NULL,
  scope VARCHAR NOT NULL,
  started BIGINT NOT NULL,
  ended BIGINT NOT NULL,
  keys UBIGINT[] NOT NULL,
  named_run VARCHAR,
  run VARCHAR,
  source VARCHAR NOT NULL,
  bytes BIGINT NOT NULL,
  line JSON NOT NULL USING COMPRESSION zstd
);
