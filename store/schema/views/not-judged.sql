-- What a check could not judge, and why.
CREATE VIEW not_judged AS SELECT
  run, -- the run
  handoff, -- id of the handoff; null if it is about the run
  check_id, -- id of the check; `*` if the run could not be judged at all
  reason -- what the log lacks
FROM base.not_judged;
