-- One row for each span that was received or imported, as it came.
CREATE VIEW spans AS SELECT
  run, -- the run that was read from its trace; null if there is nothing of agents in it
  trace AS trace_id, -- W3C trace id
  span AS span_id, -- W3C span id
  parent AS parent_span_id, -- of its parent; null on a root
  name, -- name of the span
  scope, -- name of the instrumentation that wrote it
  CASE WHEN started > 0 THEN make_timestamp(started // 1000) END AS started_at, -- when it began, to the microsecond
  CASE WHEN ended > 0 THEN make_timestamp(ended // 1000) END AS ended_at, -- when it ended
  bytes, -- bytes of the span as JSON
  source, -- the spool segment or file it came from
  CASE WHEN json_valid(line) THEN line ELSE to_json(line::VARCHAR) END AS body -- the span as JSON: attributes, events, links, resource, scope; a JSON string where DuckDB cannot read it
FROM base.spans;
