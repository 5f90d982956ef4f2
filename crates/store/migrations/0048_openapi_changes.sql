-- hook: the sealed token with which a program asks to read the source again. hook_at: the time at
-- which it was made. again: 1 if the source is to be read again when the present run ends.
ALTER TABLE openapi_specs ADD COLUMN hook TEXT;
ALTER TABLE openapi_specs ADD COLUMN hook_at INTEGER;
ALTER TABLE openapi_specs ADD COLUMN again INTEGER NOT NULL DEFAULT 0;

-- earlier: the version that was read before this one. comparison: the progress of the comparison
-- with it. changes: what it found, as JSON. breaking, warnings, infos: the numbers of changes.
ALTER TABLE openapi_versions ADD COLUMN earlier TEXT;
ALTER TABLE openapi_versions ADD COLUMN comparison TEXT NOT NULL DEFAULT 'first';
ALTER TABLE openapi_versions ADD COLUMN changes BLOB;
ALTER TABLE openapi_versions ADD COLUMN breaking INTEGER NOT NULL DEFAULT 0;
ALTER TABLE openapi_versions ADD COLUMN warnings INTEGER NOT NULL DEFAULT 0;
ALTER TABLE openapi_versions ADD COLUMN infos INTEGER NOT NULL DEFAULT 0;

-- The overlays of a specification, in the order in which they change its description. upload: the
-- text of an overlay without an address.
CREATE TABLE openapi_overlays (
    spec TEXT NOT NULL REFERENCES openapi_specs (id),
    position INTEGER NOT NULL,
    url TEXT,
    upload BLOB,
    PRIMARY KEY (spec, position)
) STRICT;

-- The texts of the overlays that changed a version, in order.
CREATE TABLE openapi_version_overlays (
    version TEXT NOT NULL REFERENCES openapi_versions (id),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    object BLOB NOT NULL,
    PRIMARY KEY (version, position)
) STRICT;
