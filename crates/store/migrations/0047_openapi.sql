-- OpenAPI specifications. url: the address of the source. upload: the text of the source if it has no
-- address. run: grows with each request to read the source. version: the one that was read last.
-- error: the reason why the last run failed. messages: what it found, as JSON. next_at: the time from
-- which on the source is read again without a request.
CREATE TABLE openapi_specs (
    id TEXT NOT NULL PRIMARY KEY,
    organization TEXT NOT NULL REFERENCES organizations (id),
    slug TEXT NOT NULL,
    url TEXT,
    upload BLOB,
    visibility TEXT NOT NULL,
    state TEXT NOT NULL,
    run INTEGER NOT NULL,
    version TEXT,
    error TEXT,
    messages TEXT NOT NULL,
    processed_at INTEGER,
    next_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX openapi_specs_by_slug ON openapi_specs (organization, slug);
CREATE INDEX openapi_specs_by_creation ON openapi_specs (organization, created_at, id);
CREATE INDEX openapi_specs_by_time ON openapi_specs (next_at) WHERE next_at IS NOT NULL;

-- Their versions. digest: a hash of the names and the texts of all files. pieces: the map of the
-- pieces.
CREATE TABLE openapi_versions (
    id TEXT NOT NULL PRIMARY KEY,
    spec TEXT NOT NULL REFERENCES openapi_specs (id),
    digest BLOB NOT NULL,
    pieces BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX openapi_versions_by_digest ON openapi_versions (spec, digest);
CREATE INDEX openapi_versions_by_creation ON openapi_versions (spec, created_at, id);

-- The files of a version; the first one is the root. url: the address that it was read from. etag,
-- modified: the headers of the response, for conditional requests.
CREATE TABLE openapi_files (
    version TEXT NOT NULL REFERENCES openapi_versions (id),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    url TEXT,
    object BLOB NOT NULL,
    size INTEGER NOT NULL,
    etag TEXT,
    modified TEXT,
    PRIMARY KEY (version, position)
) STRICT;
CREATE INDEX openapi_files_by_object ON openapi_files (object);

-- Contents with the pages that sources compute. object: the revision. basis: a hash of what the pages
-- were made of. shown: the same revision with those pages.
CREATE TABLE computed_contents (
    object BLOB NOT NULL PRIMARY KEY,
    space TEXT NOT NULL REFERENCES spaces (id),
    basis BLOB NOT NULL,
    shown BLOB NOT NULL
) STRICT;
CREATE INDEX computed_contents_by_space ON computed_contents (space);
