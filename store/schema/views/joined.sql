-- One row a run that only its trace links to the run of its sender. It has no rows of its own elsewhere, but in `events`.
CREATE VIEW joined AS SELECT
  run, -- the run that it belongs to
  orphan -- the run under which it was recorded
FROM base.joined;
