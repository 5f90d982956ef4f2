-- Files that were uploaded to organizations apart from their spaces. upload_digest: a hash of the
-- secret in the address that accepts the upload, which ends at expires_at. object, size: the stored
-- bytes; null until they were uploaded. content_type: the stated one until then.
CREATE TABLE storage_files (
    id TEXT NOT NULL PRIMARY KEY,
    organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    content_type TEXT NOT NULL,
    stated_size INTEGER NOT NULL,
    upload_digest BLOB NOT NULL,
    expires_at INTEGER NOT NULL,
    object BLOB,
    size INTEGER,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX storage_files_by_organization ON storage_files (organization, created_at);
CREATE INDEX storage_files_by_creation ON storage_files (created_at);

-- Fonts of organizations for their sites.
CREATE TABLE custom_fonts (
    id TEXT NOT NULL PRIMARY KEY,
    organization TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    family TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX custom_fonts_by_organization ON custom_fonts (organization, created_at, id);

-- The files of fonts, one row for each. Several files of one weight are alternatives.
CREATE TABLE custom_font_faces (
    font TEXT NOT NULL REFERENCES custom_fonts (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    file TEXT NOT NULL REFERENCES storage_files (id) ON DELETE CASCADE,
    PRIMARY KEY (font, position)
) STRICT;
CREATE INDEX custom_font_faces_by_file ON custom_font_faces (file);
