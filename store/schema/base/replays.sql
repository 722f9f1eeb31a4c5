-- Which run repeats which, as run.start says: such runs are judged together.
CREATE TABLE base.replays (run VARCHAR NOT NULL, replay_of VARCHAR NOT NULL);
