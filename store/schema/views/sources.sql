-- How far each spool segment was read, and what each imported file gave.
CREATE VIEW sources AS SELECT
  source, -- name of the spool segment, or path of the imported file
  kind, -- spool or import
  bytes_read, -- bytes read, up to the end of the last complete line
  lines_read, -- lines read
  events, -- events that were new; of a segment or file of spans, the spans
  quarantined, -- lines that are no events
  read_at -- when it was last read, UTC
FROM base.sources;
