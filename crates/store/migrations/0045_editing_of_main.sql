-- Sessions of the main content, which have no change request, and those with the suggestions of a
-- person: a copy of the page's text with their changes. open_suggestions: number of differences when
-- the copy was stored last. The tables are written anew, because a column loses its NOT NULL.
CREATE TABLE editing_sessions_next (
    id TEXT NOT NULL PRIMARY KEY,
    space TEXT NOT NULL REFERENCES spaces (id),
    change_request TEXT REFERENCES change_requests (id),
    page TEXT NOT NULL,
    suggested_by TEXT REFERENCES users (id),
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
    open_suggestions INTEGER NOT NULL
) STRICT;
INSERT INTO editing_sessions_next (id, space, change_request, page, base_revision, base,
    base_version, revision, version, saved, stamp, unsaved_since, retry_at, changed_at,
    open_suggestions)
SELECT id, space, change_request, page, base_revision, base,
    base_version, revision, version, saved, stamp, unsaved_since, retry_at, changed_at, 0
FROM editing_sessions;

CREATE TABLE editing_batches_next (
    session TEXT NOT NULL REFERENCES editing_sessions_next (id) ON DELETE CASCADE,
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
INSERT INTO editing_batches_next (session, version, client, number, user_id, steps, conflicts,
    stamp, created_at)
SELECT session, version, client, number, user_id, steps, conflicts, stamp, created_at
FROM editing_batches;

CREATE TABLE editing_clients_next (
    session TEXT NOT NULL REFERENCES editing_sessions_next (id) ON DELETE CASCADE,
    client TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id),
    number INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (session, client)
) STRICT;
INSERT INTO editing_clients_next (session, client, user_id, number, version)
SELECT session, client, user_id, number, version FROM editing_clients;

DROP TABLE editing_clients;
DROP TABLE editing_batches;
DROP TABLE editing_sessions;
ALTER TABLE editing_sessions_next RENAME TO editing_sessions;
ALTER TABLE editing_batches_next RENAME TO editing_batches;
ALTER TABLE editing_clients_next RENAME TO editing_clients;
CREATE UNIQUE INDEX editing_sessions_by_page ON editing_sessions
    (space, page, COALESCE(change_request, ''), COALESCE(suggested_by, ''));
CREATE INDEX editing_sessions_by_change_request ON editing_sessions (change_request, page);
CREATE INDEX editing_sessions_unsaved ON editing_sessions (unsaved_since)
    WHERE unsaved_since IS NOT NULL;
CREATE INDEX editing_sessions_by_change ON editing_sessions (changed_at);

-- The authors of a revision beside the one that the revision names.
CREATE TABLE revision_authors (
    space TEXT NOT NULL REFERENCES spaces (id),
    revision TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id),
    position INTEGER NOT NULL,
    PRIMARY KEY (space, revision, user_id)
) STRICT;

-- The windows that follow sessions, as each node of a cluster writes them for the others, a few
-- seconds old. selected_version, anchor, head: the selected range, in positions of a version.
CREATE TABLE editing_windows (
    session TEXT NOT NULL,
    client TEXT NOT NULL,
    node TEXT NOT NULL,
    space TEXT NOT NULL REFERENCES spaces (id),
    change_request TEXT,
    page TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id),
    selected_version INTEGER,
    anchor INTEGER,
    head INTEGER,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (session, client, node)
) STRICT;
CREATE INDEX editing_windows_by_space ON editing_windows (space);
CREATE INDEX editing_windows_by_time ON editing_windows (seen_at);
