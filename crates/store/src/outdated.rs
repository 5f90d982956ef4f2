//! Data that is derived from the main content of spaces a moment after it has changed.
//!
//! A change marks the space with its time. A worker claims the space by a time in the future, at
//! which another one may try again, and removes the mark when it is done.

use bindery_model::{SpaceId, Timestamp};

use crate::record::FromRow;
use crate::{StoreError, Tx};

/// A kind of derived data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Derived {
    /// Link indexes.
    LinkIndex,
    /// The addresses that pages embed.
    Embeds,
}

impl Derived {
    /// Returns the column of spaces with the time since which the data is outdated.
    const fn column(self) -> &'static str {
        match self {
            Self::LinkIndex => "links_behind",
            Self::Embeds => "embeds_behind",
        }
    }
}

impl std::fmt::Display for Derived {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::LinkIndex => "the index",
            Self::Embeds => "the embeds",
        })
    }
}

/// Returns the space whose data has been outdated for longest, with the time since when. Returns
/// `None` if no data has been outdated since `time` or earlier.
///
/// # Errors
/// Returns an error if the store fails.
pub fn oldest(
    tx: &Tx<'_>,
    derived: Derived,
    time: Timestamp,
) -> Result<Option<(SpaceId, Timestamp)>, StoreError> {
    let column = derived.column();
    let sql = format!(
        "SELECT s.id, s.{column} FROM spaces s WHERE s.{column} <= $1 ORDER BY s.{column} LIMIT 1"
    );
    tx.query_opt(&sql, &[time.into()], FromRow::from_row)
}

/// Changes the time since which the data of a space is outdated, if it is still `since`; `None`
/// marks it as up to date. Returns `false` if it is another time.
///
/// # Errors
/// Returns an error if the store fails.
pub fn change(
    tx: &Tx<'_>,
    derived: Derived,
    space: SpaceId,
    since: Timestamp,
    to: Option<Timestamp>,
) -> Result<bool, StoreError> {
    let column = derived.column();
    let sql = format!("UPDATE spaces SET {column} = $3 WHERE id = $1 AND {column} = $2");
    Ok(tx.execute(&sql, &[space.into(), since.into(), to.into()])? > 0)
}
