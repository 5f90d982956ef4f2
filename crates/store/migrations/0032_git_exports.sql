-- The branches to which a space was exported, except the one that git_states names.
-- directory: the project's directory in the repository. oid: the commit after the last export; empty
-- if it has changes that the space lacks. object: the object of the revision that was exported.
-- state: the paths and blobs in which the commit agrees with that revision, as in git_states.
CREATE TABLE git_exports (
    space TEXT NOT NULL REFERENCES spaces (id),
    url TEXT NOT NULL,
    ref TEXT NOT NULL,
    directory TEXT NOT NULL,
    oid TEXT NOT NULL,
    object BLOB NOT NULL,
    state BLOB NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (space, url, ref, directory)
) STRICT;

-- created_here: 1 if an export made the commit, 0 if it was imported.
ALTER TABLE revision_commits ADD COLUMN created_here INTEGER NOT NULL DEFAULT 0;
