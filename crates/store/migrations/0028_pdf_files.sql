-- PDFs of spaces. key: a digest of everything that was asked for, by which equal requests find the
-- same file. input: a digest of the typesetter's input; files with equal input share their bytes.
-- audience: "member", "visitor" or the id of a site, whose readers the content is for.
CREATE TABLE pdf_files (
    id TEXT NOT NULL PRIMARY KEY,
    key BLOB NOT NULL,
    organization TEXT NOT NULL,
    space TEXT NOT NULL,
    audience TEXT NOT NULL,
    name TEXT NOT NULL,
    job TEXT NOT NULL,
    input BLOB,
    object BLOB,
    size INTEGER,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX pdf_files_by_key ON pdf_files (key);
CREATE INDEX pdf_files_by_input ON pdf_files (input);
CREATE INDEX pdf_files_by_expiry ON pdf_files (expires_at);
CREATE INDEX pdf_files_by_organization ON pdf_files (organization);
