-- Passwords, sessions and sign-in links.

-- hash: an argon2id hash with its parameters and salt.
CREATE TABLE passwords (
    user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id),
    hash TEXT NOT NULL,
    set_at INTEGER NOT NULL
);

CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    hash BLOB NOT NULL UNIQUE,
    way TEXT NOT NULL,
    host TEXT NOT NULL,
    address TEXT NOT NULL,
    agent TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id, created_at, id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Links that sign a person in once. No user with the email address needs to exist. mailed: 1 if the
-- link is sent only to that address.
CREATE TABLE sign_in_links (
    id TEXT NOT NULL PRIMARY KEY,
    email TEXT NOT NULL,
    mailed INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
);
CREATE INDEX sign_in_links_by_email ON sign_in_links (email);
CREATE INDEX sign_in_links_by_expiry ON sign_in_links (expires_at);

-- Counts of attempts since began_at. subject: a hash of the action, the caller and the account.
CREATE TABLE sign_in_attempts (
    subject BLOB NOT NULL PRIMARY KEY,
    tried INTEGER NOT NULL,
    began_at INTEGER NOT NULL
);
CREATE INDEX sign_in_attempts_by_time ON sign_in_attempts (began_at);
