-- Organizations, users, spaces, revisions and sites: the tables for importing and publishing.

CREATE TABLE organizations (
    id TEXT NOT NULL PRIMARY KEY,
    title TEXT NOT NULL,
    default_role TEXT,
    created_at INTEGER NOT NULL
);

CREATE TABLE users (
    id TEXT NOT NULL PRIMARY KEY,
    email TEXT NOT NULL,
    email_folded TEXT NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    photo_url TEXT,
    created_at INTEGER NOT NULL
);

CREATE TABLE members (
    organization TEXT NOT NULL REFERENCES organizations (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    role TEXT,
    disabled INTEGER NOT NULL,
    joined_at INTEGER NOT NULL,
    PRIMARY KEY (organization, user_id)
);
CREATE INDEX members_by_user ON members (user_id, organization);

CREATE TABLE tokens (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,
    scopes INTEGER NOT NULL,
    organizations TEXT NOT NULL,
    spaces TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER
);
CREATE INDEX tokens_by_user ON tokens (user_id, created_at, id);

CREATE TABLE spaces (
    id TEXT NOT NULL PRIMARY KEY,
    organization TEXT NOT NULL REFERENCES organizations (id),
    title TEXT NOT NULL,
    emoji TEXT NOT NULL,
    parent TEXT,
    language TEXT,
    edit_mode TEXT NOT NULL,
    default_level TEXT,
    head TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER
);
CREATE INDEX spaces_by_organization ON spaces (organization, created_at, id);

CREATE TABLE space_users (
    space TEXT NOT NULL REFERENCES spaces (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    role TEXT NOT NULL,
    PRIMARY KEY (space, user_id)
);
CREATE INDEX space_users_by_user ON space_users (user_id, space);

CREATE TABLE revisions (
    space TEXT NOT NULL REFERENCES spaces (id),
    id TEXT NOT NULL,
    object BLOB NOT NULL,
    author TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (space, id)
);
CREATE INDEX revisions_by_time ON revisions (space, created_at, id);

CREATE TABLE revision_commits (
    space TEXT NOT NULL,
    revision TEXT NOT NULL,
    oid TEXT NOT NULL,
    message TEXT NOT NULL,
    ref TEXT NOT NULL,
    url TEXT,
    state BLOB NOT NULL,
    PRIMARY KEY (space, revision)
);

CREATE TABLE git_states (
    space TEXT NOT NULL PRIMARY KEY REFERENCES spaces (id),
    url TEXT NOT NULL,
    ref TEXT NOT NULL,
    directory TEXT NOT NULL,
    oid TEXT NOT NULL,
    state BLOB NOT NULL,
    tree_url TEXT,
    updated_at INTEGER NOT NULL
);

CREATE TABLE sites (
    id TEXT NOT NULL PRIMARY KEY,
    organization TEXT NOT NULL REFERENCES organizations (id),
    type TEXT NOT NULL,
    title TEXT NOT NULL,
    title_folded TEXT NOT NULL,
    basename TEXT NOT NULL UNIQUE,
    visibility TEXT NOT NULL,
    published INTEGER NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE INDEX sites_by_organization ON sites (organization, created_at, id);

CREATE TABLE site_spaces (
    id TEXT NOT NULL PRIMARY KEY,
    site TEXT NOT NULL REFERENCES sites (id),
    space TEXT NOT NULL REFERENCES spaces (id),
    path TEXT NOT NULL,
    title TEXT NOT NULL,
    position INTEGER NOT NULL,
    is_default INTEGER NOT NULL,
    UNIQUE (site, space),
    UNIQUE (site, path)
);
CREATE INDEX site_spaces_by_site ON site_spaces (site, position, id);
CREATE INDEX site_spaces_by_space ON site_spaces (space, site);
