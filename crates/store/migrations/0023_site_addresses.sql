-- Hostnames of sites, and the basenames that sites had before.
ALTER TABLE sites ADD COLUMN hostname TEXT;
CREATE UNIQUE INDEX sites_by_hostname ON sites (hostname);
CREATE UNIQUE INDEX sites_by_proxy ON sites (proxy);

CREATE TABLE former_basenames (
    basename TEXT PRIMARY KEY,
    site TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX former_basenames_by_site ON former_basenames (site);
