-- One row a run.
CREATE VIEW runs AS SELECT
  run, -- correlation id of the run
  started_at, -- time of its first event, UTC, microseconds
  ended_at, -- time of run.end or run.failed; null while it is open
  last_at, -- time of its latest event
  ended, -- true once the log holds run.end or run.failed
  outcome, -- what run.end says, or failed
  principal_kind, -- human, org, system, schedule or agent: who started it
  principal_id, -- the principal's id
  replay_of, -- the run that this one repeats
  labels, -- JSON, as run.start gives them
  agents, -- list of the names of its agents
  events, -- number of events, duplicates left out
  handoffs, -- number of handoff attempts
  operations, -- number of operations
  in_doubt, -- number of writes whose outcome is unknown at the end of the log
  findings, -- number of findings
  errors, -- number of findings with severity error
  warnings, -- number of findings with severity warning
  worst -- the highest severity found: error, warning, info, or null
FROM base.runs;
