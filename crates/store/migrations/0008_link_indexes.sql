-- The index of references that was stored last for a space. base: the object of the revision that
-- it is of. entries: the record of it.
CREATE TABLE link_indexes (
    space TEXT NOT NULL PRIMARY KEY REFERENCES spaces (id),
    base BLOB NOT NULL,
    entries BLOB NOT NULL
);

-- links_behind: since when that index is not of the main content; in the future while somebody
-- makes the next one; NULL: it is of the main content, or that never had any text.
ALTER TABLE spaces ADD COLUMN links_behind INTEGER;
UPDATE spaces SET links_behind = 0;
CREATE INDEX spaces_links_behind ON spaces (links_behind) WHERE links_behind IS NOT NULL;
