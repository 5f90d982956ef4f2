-- The change request of a space that contains the last import from Git whose changes conflict with
-- those of the space. imported: the revision with the content of the repository; its commit is in
-- revision_commits. written: the revision of the change request that the import wrote last. The other
-- columns become the Git state of the space when the change request is merged, as in git_states.
CREATE TABLE import_change_requests (
    space TEXT NOT NULL PRIMARY KEY REFERENCES spaces (id),
    change_request TEXT NOT NULL REFERENCES change_requests (id),
    imported TEXT NOT NULL,
    written TEXT NOT NULL,
    url TEXT NOT NULL,
    ref TEXT NOT NULL,
    directory TEXT NOT NULL,
    tree_url TEXT,
    event_at INTEGER,
    provider TEXT,
    provider_url TEXT
) STRICT;
