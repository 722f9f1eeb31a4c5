-- One row for each thing that the sender's runtime knew at a handoff, and how it crossed.
CREATE VIEW crossings AS SELECT
  run, -- the run
  handoff, -- id of the handoff
  attempt, -- attempt of the handoff
  subject_kind, -- operation, approval, constraint, commitment, origin, permission, contract, leak
  subject, -- its id; for contract the field, for permission the tool, for leak the path at the receiver
  degree, -- operation: carried, altered, key in words, described, mentioned, absent. approval: same, id changed, scope changed, absent, decision not delivered. constraint: same, reworded, in words only, absent. commitment: crossed, absent. origin: same, absent, changed, escalated, not judged. permission: gained, lost. contract: present, empty, absent. leak: sensitive, dropped result
  tool, -- tool of the operation, or action of the approval
  key, -- idempotency key of the operation
  state, -- what the sender knew when it sent
  in_doubt, -- operations only: a write whose outcome was unknown to the sender, also one that need not cross (handoffs.in_doubt leaves those out)
  guess, -- operations only: true if the degree rests on words that may mean something else
  verdict_landed, -- in doubt only: what can happen if the request had landed: safe, repeats the effect, adopts a stranger's result, unknown
  verdict_delayed, -- the same if the request is still travelling
  attribution, -- constraints only: not in state, dropped at the handoff, carried, carried, not followed
  similarity, -- reworded constraints only: share of common words, 0 to 1
  settled, -- carried operations only: before planning, after planning, not settled
  settled_by, -- key, closed, details, awaited or reply
  settle_ms, -- milliseconds from receipt to settlement
  detail -- the words or the rule that it rests on
FROM base.crossings;
