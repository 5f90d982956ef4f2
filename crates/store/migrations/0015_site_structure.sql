-- Sections of sites with their groups, and settings of sites.

-- proxy: the address under which another server passes the site on, without a scheme.
-- agents_context: whether agents may use the site as context.
ALTER TABLE sites ADD COLUMN proxy TEXT;
ALTER TABLE sites ADD COLUMN adaptive INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sites ADD COLUMN agents_context TEXT NOT NULL DEFAULT 'included';

-- parent: the group that contains this one. position: the order among the groups and sections of
-- the same parent.
CREATE TABLE site_section_groups (
    id TEXT NOT NULL PRIMARY KEY,
    site TEXT NOT NULL REFERENCES sites (id),
    parent TEXT,
    title TEXT NOT NULL,
    icon TEXT,
    position INTEGER NOT NULL
) STRICT;
CREATE INDEX site_section_groups_by_site ON site_section_groups (site, position, id);

CREATE TABLE site_sections (
    id TEXT NOT NULL PRIMARY KEY,
    site TEXT NOT NULL REFERENCES sites (id),
    section_group TEXT,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    path TEXT NOT NULL,
    condition TEXT,
    icon TEXT,
    position INTEGER NOT NULL,
    is_default INTEGER NOT NULL,
    UNIQUE (site, path)
) STRICT;
CREATE INDEX site_sections_by_site ON site_sections (site, position, id);

-- The path of a space is unique within its section, or within the site if it has no sections.
CREATE TABLE placed_spaces (
    id TEXT NOT NULL PRIMARY KEY,
    site TEXT NOT NULL REFERENCES sites (id),
    section TEXT,
    space TEXT NOT NULL REFERENCES spaces (id),
    path TEXT NOT NULL,
    title TEXT NOT NULL,
    condition TEXT,
    position INTEGER NOT NULL,
    is_default INTEGER NOT NULL,
    UNIQUE (site, space)
) STRICT;
INSERT INTO placed_spaces (id, site, space, path, title, position, is_default)
SELECT id, site, space, path, title, position, is_default FROM site_spaces;
DROP TABLE site_spaces;
ALTER TABLE placed_spaces RENAME TO site_spaces;
CREATE INDEX site_spaces_by_site ON site_spaces (site, position, id);
CREATE INDEX site_spaces_by_space ON site_spaces (space, site);
