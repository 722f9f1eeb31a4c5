-- Runs whose derived rows are older than their events. Written with the events, removed with the derived rows.
CREATE TABLE base.stale_runs (run VARCHAR NOT NULL);
