-- Links that open a site for their holders. key_digest: a keyed hash of the key. sealed_key: the
-- key, encrypted.
CREATE TABLE site_share_links (
    id TEXT NOT NULL PRIMARY KEY,
    site TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    active INTEGER NOT NULL,
    key_digest BLOB NOT NULL UNIQUE,
    sealed_key TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX site_share_links_by_site ON site_share_links (site, created_at, id);

-- How visitors sign in to a site; a site without a row has the defaults. sealed_key: the key that
-- signs the tokens of visitors, encrypted.
CREATE TABLE site_publishing_auth (
    site TEXT NOT NULL PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
    backend TEXT NOT NULL,
    fallback_url TEXT,
    sealed_key TEXT
) STRICT;
