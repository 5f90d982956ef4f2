-- Descriptions of addresses that the pages of an organization embed. Each organization has its own,
-- so that none learns from them what another one embeds.
-- address: a hash of the URL. status: "waiting", "described" or "none". version: grows when the
-- description changes. failures: attempts since the last one that ended. next_at: the time of the
-- next attempt.
CREATE TABLE embeds (
    organization TEXT NOT NULL,
    address BLOB NOT NULL,
    url TEXT NOT NULL,
    host TEXT NOT NULL,
    status TEXT NOT NULL,
    title TEXT NOT NULL,
    site TEXT NOT NULL,
    description TEXT NOT NULL,
    version INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (organization, address)
) STRICT;
CREATE INDEX embeds_by_time ON embeds (next_at);

-- The pictures of descriptions.
CREATE TABLE embed_pictures (
    id TEXT NOT NULL PRIMARY KEY,
    organization TEXT NOT NULL,
    address BLOB NOT NULL,
    object BLOB NOT NULL,
    content_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX embed_pictures_by_address ON embed_pictures (organization, address);

-- The addresses that the texts of spaces on sites embed. holder: the page or the reusable content.
CREATE TABLE embed_uses (
    space TEXT NOT NULL REFERENCES spaces (id),
    holder BLOB NOT NULL,
    address BLOB NOT NULL,
    PRIMARY KEY (space, holder, address)
) STRICT;
CREATE INDEX embed_uses_by_address ON embed_uses (address, space);

-- base: the object of the revision whose addresses are stored. changes: grows when the descriptions
-- that the space uses change.
CREATE TABLE embed_scans (
    space TEXT NOT NULL PRIMARY KEY REFERENCES spaces (id),
    base BLOB,
    changes INTEGER NOT NULL
) STRICT;

-- embeds_behind: the time since which the uses are out of date; a future time while a worker
-- updates them; NULL if they are up to date.
ALTER TABLE spaces ADD COLUMN embeds_behind INTEGER;
UPDATE spaces SET embeds_behind = 0 WHERE id IN (SELECT space FROM site_spaces);
CREATE INDEX spaces_embeds_behind ON spaces (embeds_behind) WHERE embeds_behind IS NOT NULL;
