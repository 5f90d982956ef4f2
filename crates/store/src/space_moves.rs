//! Former positions of moved spaces. A paged list uses the order from the time it began, so that it
//! shows each space once although the order changes.

use bindery_model::{SpaceId, Timestamp};

use crate::record::FromRow;
use crate::spaces::Space;
use crate::{StoreError, Tx};

/// Maximum time between the first and the last page of a list, in milliseconds: a day.
const RETENTION_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// Returns the number of the last move; 0 if there was none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn last(tx: &Tx<'_>) -> Result<i64, StoreError> {
    tx.query_one("SELECT COALESCE(MAX(m.seq), 0) FROM space_moves m", &[], FromRow::from_row)
}

/// Records the current position of a space that is about to move. Call it before storing `after`.
pub(crate) fn record(tx: &Tx<'_>, after: &Space) -> Result<(), StoreError> {
    let before: Option<String> = tx.query_opt(
        "SELECT s.position FROM spaces s WHERE s.id = $1 \
         AND (s.position <> $2 OR COALESCE(s.parent, '') <> COALESCE($3, ''))",
        &[after.id.into(), after.position.as_str().into(), after.parent.into()],
        FromRow::from_row,
    )?;
    let Some(before) = before else { return Ok(()) };
    let (seq, now) = (last(tx)?, tx.now());
    tx.execute(
        "DELETE FROM space_moves WHERE moved_at < $1 AND seq < $2",
        &[Timestamp::from_millis(now.millis() - RETENTION_MILLIS).into(), seq.into()],
    )?;
    tx.execute(
        "INSERT INTO space_moves (space, seq, position, moved_at) VALUES ($1, $2, $3, $4)",
        &[after.id.into(), (seq + 1).into(), before.into(), now.into()],
    )?;
    Ok(())
}

/// Returns the SQL expression for the position of a row `s` of `spaces` just after the move with
/// the number `${since}`.
pub(crate) fn position_after_move(since: usize) -> String {
    format!(
        "COALESCE((SELECT m.position FROM space_moves m WHERE m.space = s.id AND m.seq > ${since} \
         ORDER BY m.seq LIMIT 1), s.position)"
    )
}

/// Deletes the recorded moves of a space.
pub(crate) fn delete_for_space(tx: &Tx<'_>, space: SpaceId) -> Result<(), StoreError> {
    // The last row of the table keeps the move count, even if its space is gone.
    tx.execute(
        "DELETE FROM space_moves WHERE space = $1 AND seq < (SELECT MAX(m.seq) FROM space_moves m)",
        &[space.into()],
    )?;
    Ok(())
}
