-- The claims of visitors that conditions on a site read, as a JSON Schema. A site without a row has
-- no schema.
CREATE TABLE site_adaptive_schemas (
    site TEXT NOT NULL PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
    json_schema TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
