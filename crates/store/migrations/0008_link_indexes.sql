-- The stored link index of a space. base: the object of the revision that it belongs to. entries:
-- the encoded index.
CREATE TABLE link_indexes (
    space TEXT NOT NULL PRIMARY KEY REFERENCES spaces (id),
    base BLOB NOT NULL,
    entries BLOB NOT NULL
);

-- links_behind: the time since which the index is out of date; a future time while a worker updates
-- the index; NULL if the index is up to date or the main content never had any text.
ALTER TABLE spaces ADD COLUMN links_behind INTEGER;
UPDATE spaces SET links_behind = 0;
CREATE INDEX spaces_links_behind ON spaces (links_behind) WHERE links_behind IS NOT NULL;
