-- Lines that are no events. The rest of their file was read.
CREATE VIEW quarantine AS SELECT
  source, -- spool segment or file
  line_number, -- number of the line, from 1
  byte_offset, -- where the line begins, bytes from 0
  bytes, -- length of the line in bytes
  reason, -- why it is no event
  line, -- the line, cut after 1,000 characters
  found_at -- when it was read, UTC
FROM base.quarantine;
