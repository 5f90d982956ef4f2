-- The last dry run of the synchronisation of a space. commit_id: the commit at the branch, if there is
-- one. revision: the head of the space. result: the changes that a run would make, as JSON.
CREATE TABLE git_sync_dry_runs (
    space TEXT NOT NULL PRIMARY KEY REFERENCES spaces (id),
    job TEXT NOT NULL,
    finished_at INTEGER NOT NULL,
    commit_id TEXT,
    revision TEXT NOT NULL,
    result TEXT NOT NULL
) STRICT;
