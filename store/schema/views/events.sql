-- Every event, once, as it was captured.
CREATE VIEW events AS SELECT
  run, -- the run
  seq, -- order within one writer
  time, -- when, UTC, microseconds; the exact text is in body
  writer, -- the process that wrote it
  kind, -- kind of the event
  agent, -- the agent
  CASE WHEN readable THEN line ELSE to_json(line::VARCHAR) END AS body, -- the whole event, JSON; a JSON string with the verbatim line where DuckDB cannot read it (a lone surrogate, an endless number)
  bytes, -- length of the line in bytes
  source, -- spool segment or imported file that it came from
  arrival -- order in which it was stored, from 1
FROM base.events;
