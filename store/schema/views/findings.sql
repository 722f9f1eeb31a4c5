-- One row a finding.
CREATE VIEW findings AS SELECT
  run, -- the run
  handoff, -- id of the handoff; null if it is about the run
  attempt, -- attempt of the handoff
  check_id, -- id of the check (`check` in JSON output; a reserved word in SQL)
  severity, -- error, warning or info
  agents, -- list of agents, sender first
  subject_kind, -- operation, approval, constraint, item, …
  subject, -- its id
  message, -- what is wrong, in a sentence
  evidence, -- JSON list of {step, path, side, text}
  remedy, -- what to do
  attribution, -- not in state, dropped at the handoff, carried, not followed, carried; or null
  fingerprint, -- the same for the same fault in another run
  time, -- time of its handoff, or of the start of its run: the time by which windows are cut
  pair, -- pair of its handoff; null if it is about the run
  framework, -- framework of its handoff
  style -- forwarding style of its handoff
FROM base.findings;
