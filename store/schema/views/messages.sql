-- One row a message of the conversation.
CREATE VIEW messages AS SELECT
  run, -- the run
  step, -- its step in the run
  time, -- when, UTC, microseconds
  message, -- its id
  agent, -- the agent
  role, -- user, assistant, system …
  channel, -- channel
  origin_kind, -- who is really behind it
  verified, -- true if that is verified
  bytes, -- bytes of its content as compact JSON
  text -- its text
FROM base.messages;
