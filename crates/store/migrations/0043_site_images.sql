-- Images of the looks of sites. file: the stored bytes.
CREATE TABLE site_images (
    file TEXT NOT NULL PRIMARY KEY REFERENCES storage_files (id) ON DELETE CASCADE,
    site TEXT NOT NULL REFERENCES sites (id),
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX site_images_by_site ON site_images (site, created_at, file);
