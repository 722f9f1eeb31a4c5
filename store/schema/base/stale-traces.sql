-- Traces with spans younger than the run that was read from them. Written with the spans, removed with the events of the run.
CREATE TABLE base.stale_traces (trace VARCHAR NOT NULL);
