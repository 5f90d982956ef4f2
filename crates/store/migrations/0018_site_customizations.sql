-- The looks of sites, as JSON; a site without a row has the defaults.
CREATE TABLE site_customizations (
    site TEXT NOT NULL PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
    settings TEXT NOT NULL
) STRICT;

-- settings: the values that a site space overrides, as JSON.
CREATE TABLE site_space_customizations (
    site_space TEXT NOT NULL PRIMARY KEY REFERENCES site_spaces (id) ON DELETE CASCADE,
    settings TEXT NOT NULL
) STRICT;
