-- Where spaces stood before they were moved, for lists that are being read meanwhile. seq grows
-- with each move. Rows go after a day, but for the last one.
CREATE TABLE space_moves (
    space TEXT NOT NULL,
    seq INTEGER NOT NULL,
    position TEXT NOT NULL,
    moved_at INTEGER NOT NULL,
    PRIMARY KEY (space, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX space_moves_by_seq ON space_moves (seq);
