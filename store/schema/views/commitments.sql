-- One row a promise to the user.
CREATE VIEW commitments AS SELECT
  run, -- the run
  commitment, -- its id
  text, -- its text
  agent, -- who promised
  open, -- true until it is closed
  made_at, -- when it was made
  closed_at, -- when it was closed
  first_step, -- step of its first event
  last_step -- step of its latest event
FROM base.commitments;
