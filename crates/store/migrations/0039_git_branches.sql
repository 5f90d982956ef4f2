-- Branches that follow change requests, and the reverse.
-- branch_patterns: the names of branches that become change requests, one in a line.
-- change_request_export: the way in which change requests are written to the repository.
-- hosting, hosting_api: the hosting service and the address of its interface; NULL to derive them
-- from the address of the repository.
-- branches: a digest of the branches when the last run ended.
ALTER TABLE git_syncs ADD COLUMN branch_patterns TEXT NOT NULL DEFAULT '';
ALTER TABLE git_syncs ADD COLUMN change_request_export TEXT NOT NULL DEFAULT 'none';
ALTER TABLE git_syncs ADD COLUMN branch_prefix TEXT NOT NULL DEFAULT 'bindery/';
ALTER TABLE git_syncs ADD COLUMN hosting TEXT;
ALTER TABLE git_syncs ADD COLUMN hosting_api TEXT;
ALTER TABLE git_syncs ADD COLUMN branches TEXT;

-- A branch of the repository and the change request that it agrees with.
-- change_request: NULL if the branch has no changes of the documentation, or none that are not in
-- the main content, and for the branch of changes that a protected branch does not accept.
-- oid: the commit at the branch after the last transfer; empty if the branch does not exist.
-- object: the revision object with the content of that commit. state: the map of its paths and
-- blobs, encoded. shared: the object with the content of the change request whose changes the
-- branch has. created_here: 1 if the server made the branch. documentation_only: 1 if nothing but
-- documentation differs from the commit at which the branch begins. base: the newest commit of the
-- branch of the space that the branch has. reported: the commit whose
-- preview was reported to the hosting service.
CREATE TABLE git_branches (
    space TEXT NOT NULL REFERENCES spaces (id),
    ref TEXT NOT NULL,
    change_request TEXT REFERENCES change_requests (id),
    oid TEXT NOT NULL,
    object BLOB,
    state BLOB,
    shared BLOB,
    created_here INTEGER NOT NULL,
    documentation_only INTEGER NOT NULL,
    base TEXT,
    pull_request INTEGER,
    pull_request_url TEXT,
    pull_request_title TEXT,
    reported TEXT,
    error_code TEXT,
    error_message TEXT,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (space, ref)
) STRICT;
CREATE INDEX git_branches_change_request ON git_branches (change_request);
