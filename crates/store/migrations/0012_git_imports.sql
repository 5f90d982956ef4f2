-- synced_object: the object of the revision that the last Git import up to this revision created.
-- synced_state: the paths and blobs of that import, as in revision_commits.
ALTER TABLE revisions ADD COLUMN synced_object BLOB;
ALTER TABLE revisions ADD COLUMN synced_state BLOB;
UPDATE revisions SET synced_object = (
    SELECT i.object FROM revisions i
    JOIN revision_commits c ON c.space = i.space AND c.revision = i.id
    WHERE i.space = revisions.space AND i.position <= revisions.position
    ORDER BY i.position DESC LIMIT 1
), synced_state = (
    SELECT c.state FROM revisions i
    JOIN revision_commits c ON c.space = i.space AND c.revision = i.id
    WHERE i.space = revisions.space AND i.position <= revisions.position
    ORDER BY i.position DESC LIMIT 1
)
WHERE position IS NOT NULL AND space IN (SELECT g.space FROM git_states g);

-- event_at: the time of the event that caused the last import that had one. provider, provider_url:
-- the Git hosting service that the last import named.
ALTER TABLE git_states ADD COLUMN event_at INTEGER;
ALTER TABLE git_states ADD COLUMN provider TEXT;
ALTER TABLE git_states ADD COLUMN provider_url TEXT;

-- The latest requested import into a space's main content, whatever its result.
CREATE TABLE git_attempts (
    space TEXT NOT NULL PRIMARY KEY REFERENCES spaces (id),
    job TEXT NOT NULL,
    url TEXT NOT NULL,
    provider TEXT,
    provider_url TEXT
) STRICT;
