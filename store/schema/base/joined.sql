-- Derived: runs that are told as part of another. Written when either is derived.
CREATE TABLE base.joined (run VARCHAR NOT NULL, orphan VARCHAR NOT NULL);
