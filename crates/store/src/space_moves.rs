//! Where spaces stood before they were moved: a list in an order that can change shows each space
//! once when it goes by the order of the time at which it began.

use bindery_model::{SpaceId, Timestamp};

use crate::spaces::Space;
use crate::{StoreError, Tx};

/// How long a list can take from its first to its last page, in milliseconds: a day.
const KEPT: i64 = 24 * 60 * 60 * 1000;

/// The number of the last move; 0: there was none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn last(tx: &Tx<'_>) -> Result<i64, StoreError> {
    tx.query_one("SELECT COALESCE(MAX(m.seq), 0) FROM space_moves m", &[], |row| row.get(0))
}

/// Notes where a space stands that is about to be stored with another place.
pub(crate) fn note(tx: &Tx<'_>, after: &Space) -> Result<(), StoreError> {
    let before: Option<String> = tx.query_opt(
        "SELECT s.position FROM spaces s WHERE s.id = $1 \
         AND (s.position <> $2 OR COALESCE(s.parent, '') <> COALESCE($3, ''))",
        &[after.id.into(), after.position.as_str().into(), after.parent.into()],
        |row| row.get(0),
    )?;
    let Some(before) = before else { return Ok(()) };
    let (seq, now) = (last(tx)?, tx.now());
    tx.execute(
        "DELETE FROM space_moves WHERE moved_at < $1 AND seq < $2",
        &[Timestamp::from_millis(now.millis() - KEPT).into(), seq.into()],
    )?;
    tx.execute(
        "INSERT INTO space_moves (space, seq, position, moved_at) VALUES ($1, $2, $3, $4)",
        &[after.id.into(), (seq + 1).into(), before.into(), now.into()],
    )?;
    Ok(())
}

/// The SQL of the position that a row `s` of `spaces` had after the move with the number
/// `${since}`.
pub(crate) fn position_then(since: usize) -> String {
    format!(
        "COALESCE((SELECT m.position FROM space_moves m WHERE m.space = s.id AND m.seq > ${since} \
         ORDER BY m.seq LIMIT 1), s.position)"
    )
}

/// Removes what is known of the moves of a space.
pub(crate) fn delete_of(tx: &Tx<'_>, space: SpaceId) -> Result<(), StoreError> {
    // The last row keeps the count; its space may be gone.
    tx.execute(
        "DELETE FROM space_moves WHERE space = $1 AND seq < (SELECT MAX(m.seq) FROM space_moves m)",
        &[space.into()],
    )?;
    Ok(())
}
