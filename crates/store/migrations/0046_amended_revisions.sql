-- typed_since: the time of the first text in a revision that has only what people typed in a change
-- request; a later one can take its place. supersedes: the revision whose place it took, until that
-- one is deleted.
ALTER TABLE revisions ADD COLUMN typed_since INTEGER;
ALTER TABLE revisions ADD COLUMN supersedes TEXT;
CREATE INDEX revisions_superseding ON revisions (created_at) WHERE supersedes IS NOT NULL;
