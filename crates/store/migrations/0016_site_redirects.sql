-- Redirects from paths of sites. source_key: the source in its canonical spelling, by which requests
-- are looked up. draft: a redirect that is not in effect; a source can have one beside the one in
-- effect. section, site_space, page: the destination, a section, a site space, or a page of a site
-- space. The destination may have been removed since. wildcard: paths below the source follow the
-- redirect too.
CREATE TABLE site_redirects (
    id TEXT NOT NULL PRIMARY KEY,
    site TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    source TEXT NOT NULL,
    source_key TEXT NOT NULL,
    draft INTEGER NOT NULL,
    section TEXT,
    site_space TEXT,
    page TEXT,
    wildcard INTEGER NOT NULL,
    permanent INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (site, source_key, draft)
) STRICT;
CREATE INDEX site_redirects_by_site ON site_redirects (site, draft, created_at, id);
