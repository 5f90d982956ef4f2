-- Ratings and comments that readers gave on pages. url: the address of the page without the origin.
-- reader: a digest of the reader's network, browser, site and day; a second rating with the same
-- digest replaces the first. network: a digest of the reader's network, site and day, by which
-- ratings are limited. The digests identify nobody on another day or without the server's key.
CREATE TABLE page_feedback (
    id TEXT NOT NULL PRIMARY KEY,
    site TEXT NOT NULL REFERENCES sites (id),
    site_space TEXT NOT NULL,
    space TEXT NOT NULL,
    page TEXT NOT NULL,
    rating TEXT NOT NULL,
    comment TEXT,
    url TEXT NOT NULL,
    reader TEXT NOT NULL,
    network TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX page_feedback_by_site ON page_feedback (site, created_at, id);
CREATE UNIQUE INDEX page_feedback_by_reader ON page_feedback (site, reader, page);
CREATE INDEX page_feedback_by_network ON page_feedback (site, network);
