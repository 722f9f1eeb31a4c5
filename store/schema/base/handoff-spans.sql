-- In which span each handoff was sent (`sent`), and to which span each received one of unknown origin is linked: trace id
-- and span id in small letters, with a colon between. Where the two meet, one run may belong to the other.
CREATE TABLE base.handoff_spans (run VARCHAR NOT NULL, span VARCHAR NOT NULL, sent BOOLEAN NOT NULL);
