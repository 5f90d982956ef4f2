-- Sessions in which people write a page of a change request together. base_revision, base: the text
-- at base_version, as the document of the editor in JSON; the page of the revision if base is NULL.
-- revision: the content of the change request that the text contains. version: number of batches.
-- saved: the version that the content contains. stamp: the mark of the last batch. unsaved_since:
-- the time of the first batch that is not saved. retry_at: the time of the next attempt to save.
CREATE TABLE editing_sessions (
    id TEXT NOT NULL PRIMARY KEY,
    space TEXT NOT NULL REFERENCES spaces (id),
    change_request TEXT NOT NULL REFERENCES change_requests (id),
    page TEXT NOT NULL,
    base_revision TEXT NOT NULL,
    base TEXT,
    base_version INTEGER NOT NULL,
    revision TEXT NOT NULL,
    version INTEGER NOT NULL,
    saved INTEGER NOT NULL,
    stamp TEXT NOT NULL,
    unsaved_since INTEGER,
    retry_at INTEGER,
    changed_at INTEGER NOT NULL,
    UNIQUE (change_request, page)
) STRICT;
CREATE INDEX editing_sessions_by_space ON editing_sessions (space);
CREATE INDEX editing_sessions_unsaved ON editing_sessions (unsaved_since)
    WHERE unsaved_since IS NOT NULL;
CREATE INDEX editing_sessions_by_change ON editing_sessions (changed_at);

-- Steps that were accepted together. client, number: the sender and its number of the batch; empty
-- and 0 for changes of the content from outside of the session. conflicts: number of places that
-- such a change and people changed differently.
CREATE TABLE editing_batches (
    session TEXT NOT NULL REFERENCES editing_sessions (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    client TEXT NOT NULL,
    number INTEGER NOT NULL,
    user_id TEXT REFERENCES users (id),
    steps TEXT NOT NULL,
    conflicts INTEGER NOT NULL,
    stamp TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (session, version)
) STRICT;

-- The last batch of each sender, so that one that arrives twice is accepted once.
CREATE TABLE editing_clients (
    session TEXT NOT NULL REFERENCES editing_sessions (id) ON DELETE CASCADE,
    client TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id),
    number INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (session, client)
) STRICT;
