-- The installations of Git hosting services. The target is the space, or the site if space is NULL.
-- parent: the installation of the site, for that of one of its spaces. directory: the project's
-- directory in the repository. preview_branches, agents_instructions, claude_instructions: settings
-- that are only stored.
-- priority: the direction of the first run. instance: the address of a GitLab server; NULL for
-- gitlab.com. token: the access token of GitLab, sealed with the server's key. repository: its number
-- at the service. repository_name to default_branch: the repository as the service described it;
-- NULL until it did.
CREATE TABLE git_installations (
    id TEXT NOT NULL PRIMARY KEY,
    parent TEXT,
    space TEXT REFERENCES spaces (id),
    site TEXT REFERENCES sites (id),
    provider TEXT NOT NULL,
    status TEXT NOT NULL,
    directory TEXT NOT NULL,
    commit_message TEXT,
    preview_branches INTEGER,
    agents_instructions INTEGER NOT NULL,
    claude_instructions INTEGER NOT NULL,
    priority TEXT NOT NULL,
    instance TEXT,
    token TEXT,
    repository INTEGER,
    branch TEXT,
    repository_name TEXT,
    repository_url TEXT,
    clone_url TEXT,
    default_branch TEXT,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX git_installations_space ON git_installations (space) WHERE space IS NOT NULL;
CREATE UNIQUE INDEX git_installations_site ON git_installations (site) WHERE space IS NULL;
CREATE INDEX git_installations_parent ON git_installations (parent);
