-- The continuous synchronisation of a space with a branch.
-- directory: the project's directory in the repository. credentials, webhook_secret: sealed with the
-- server's key. has_run: 1 after the first successful run. tip: the commit at the branch when the
-- last run ended; NULL if it is not known. importing: 1 while a run imports, so that its revision
-- causes no other run. failures, auth_failures: the failures in a row, and those among them that
-- the credentials caused. next_at: the time of the next check or attempt; NULL if there is none.
CREATE TABLE git_syncs (
    space TEXT NOT NULL PRIMARY KEY REFERENCES spaces (id),
    id TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    ref TEXT NOT NULL,
    directory TEXT NOT NULL,
    direction TEXT NOT NULL,
    initial_direction TEXT NOT NULL,
    credentials_kind TEXT NOT NULL,
    credentials TEXT,
    polling_seconds INTEGER NOT NULL,
    commit_message TEXT NOT NULL,
    rewritten_history TEXT NOT NULL,
    webhook_secret TEXT NOT NULL,
    has_run INTEGER NOT NULL,
    tip TEXT,
    importing INTEGER NOT NULL,
    status TEXT NOT NULL,
    pause_reason TEXT,
    error_code TEXT,
    error_message TEXT,
    failures INTEGER NOT NULL,
    auth_failures INTEGER NOT NULL,
    checked_at INTEGER,
    next_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX git_syncs_next ON git_syncs (next_at);

-- The latest runs of a synchronisation, counted from 1.
CREATE TABLE git_sync_runs (
    space TEXT NOT NULL REFERENCES spaces (id),
    number INTEGER NOT NULL,
    job TEXT NOT NULL,
    cause TEXT NOT NULL,
    state TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER,
    commit_before TEXT,
    commit_after TEXT,
    revision_before TEXT,
    revision_after TEXT,
    error_code TEXT,
    message TEXT,
    PRIMARY KEY (space, number)
) STRICT;
CREATE INDEX git_sync_runs_running ON git_sync_runs (job) WHERE state = 'running';

-- The events of Git servers that were accepted lately, so that they cannot be sent again.
-- delivery: a digest of the id or the signature of the event.
CREATE TABLE git_hook_deliveries (
    space TEXT NOT NULL REFERENCES spaces (id),
    delivery BLOB NOT NULL,
    received_at INTEGER NOT NULL,
    PRIMARY KEY (space, delivery)
) STRICT;
CREATE INDEX git_hook_deliveries_received ON git_hook_deliveries (space, received_at);
