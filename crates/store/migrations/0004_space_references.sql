-- Spaces whose content refers, or once referred, to another space. target: may not exist.
CREATE TABLE space_references (
    target TEXT NOT NULL,
    source TEXT NOT NULL REFERENCES spaces (id),
    PRIMARY KEY (target, source)
);
CREATE INDEX space_references_by_source ON space_references (source);
