-- Links to other websites among the sections of a site. section_group: the group that contains the
-- link. localized_title, localized_description: JSON objects of texts by language. position: the
-- order among the sections, groups and links of the same group.
CREATE TABLE site_external_links (
    id TEXT NOT NULL PRIMARY KEY,
    site TEXT NOT NULL REFERENCES sites (id),
    section_group TEXT,
    title TEXT NOT NULL,
    localized_title TEXT,
    description TEXT,
    localized_description TEXT,
    icon TEXT,
    url TEXT NOT NULL,
    draft INTEGER NOT NULL,
    condition TEXT,
    position INTEGER NOT NULL
) STRICT;
CREATE INDEX site_external_links_by_site ON site_external_links (site, position, id);
