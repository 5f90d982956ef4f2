-- Former positions of moved spaces, for lists that are being paged. seq grows with each move. Rows
-- are deleted after a day, except the last one.
CREATE TABLE space_moves (
    space TEXT NOT NULL,
    seq INTEGER NOT NULL,
    position TEXT NOT NULL,
    moved_at INTEGER NOT NULL,
    PRIMARY KEY (space, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX space_moves_by_seq ON space_moves (seq);
