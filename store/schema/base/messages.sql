-- Derived: one row a message of the conversation.
CREATE TABLE base.messages (
  run VARCHAR NOT NULL,
  step INTEGER NOT NULL,
  time TIMESTAMP,
  message VARCHAR,
  agent VARCHAR,
  role VARCHAR,
  channel VARCHAR,
  origin_kind VARCHAR,
  verified BOOLEAN,
  bytes BIGINT NOT NULL,
  text VARCHAR NOT NULL USING COMPRESSION zstd
);
