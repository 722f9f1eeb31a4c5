-- One row: the version of this schema. A file with another version is refused or rebuilt, never read by guess.
CREATE TABLE base.meta (schema_version INTEGER NOT NULL);
