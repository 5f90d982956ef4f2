-- Tables of the store itself: objects, events, jobs, stored responses and settings.

-- Named values of the installation, such as the server's secret.
CREATE TABLE meta (
    key TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The single row holds the generation of objects that are stored now.
CREATE TABLE object_generation (
    id INTEGER NOT NULL PRIMARY KEY,
    generation INTEGER NOT NULL,
    raised_at INTEGER NOT NULL
) STRICT;

INSERT INTO object_generation (id, generation, raised_at) VALUES (1, 1, 0);

-- Immutable objects by BLAKE3 hash. codec: 0 plain, 1 zstd. location: 0 in this row, 1 in the
-- object store. size: bytes of the object. stored: bytes as stored.
CREATE TABLE objects (
    hash BLOB NOT NULL PRIMARY KEY,
    size INTEGER NOT NULL,
    stored INTEGER NOT NULL,
    codec INTEGER NOT NULL,
    location INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    bytes BLOB
) STRICT;

CREATE INDEX objects_generation ON objects (generation);

-- Files of the object store whose rows were deleted. They are deleted once no reader can be using
-- them. claimed: 1 while the deletion is in progress.
CREATE TABLE object_removals (
    hash BLOB NOT NULL PRIMARY KEY,
    removed_at INTEGER NOT NULL,
    claimed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Events, written by the transaction that makes the change. position is the order in which events
-- are read. With one writer it is assigned immediately, otherwise when the events are first read,
-- in the order of stamp. stamp grows with the time and with every event of a node.
CREATE TABLE events (
    id TEXT NOT NULL PRIMARY KEY,
    position INTEGER UNIQUE,
    stamp INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    actor TEXT,
    organization TEXT,
    space TEXT,
    site TEXT,
    payload TEXT NOT NULL
) STRICT;

CREATE INDEX events_unplaced ON events (stamp, id) WHERE position IS NULL;
CREATE INDEX events_organization ON events (organization, at, id);

-- Background jobs. status: queued, running, done, failed, cancelled.
CREATE TABLE jobs (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    organization TEXT,
    space TEXT,
    actor TEXT,
    payload TEXT NOT NULL,
    content INTEGER NOT NULL,
    status TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    run_at INTEGER NOT NULL,
    stamp INTEGER NOT NULL,
    lease TEXT,
    worker TEXT,
    leased_until INTEGER,
    cancel_requested INTEGER NOT NULL,
    progress_done INTEGER,
    progress_total INTEGER,
    progress_message TEXT,
    error_code TEXT,
    error_message TEXT,
    revision TEXT,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER
) STRICT;

CREATE INDEX jobs_status ON jobs (status, run_at, stamp, id);
CREATE INDEX jobs_space ON jobs (space, created_at, id);
CREATE INDEX jobs_organization ON jobs (organization, created_at, id);
CREATE INDEX jobs_created ON jobs (created_at, id);

-- Responses to write requests with an idempotency key.
CREATE TABLE idempotency (
    caller TEXT NOT NULL,
    operation TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash BLOB NOT NULL,
    status INTEGER NOT NULL,
    headers TEXT NOT NULL,
    body BLOB NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (caller, operation, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_expires ON idempotency (expires_at);
