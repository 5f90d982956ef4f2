//! Windows that follow editing sessions, as the nodes of a cluster tell each other.

use bindery_model::{ChangeRequestId, EditingSessionId, PageId, SpaceId, Timestamp, UserId};

use crate::record::{FromRow, Insert as _, Record as _, insert, record, sql};
use crate::value::{MAX_IDS, placeholders};
use crate::{StoreError, Tx, params};

record! {
    /// A window of a node.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct EditingWindow in editing_windows as w, insert {
        /// The session.
        pub session: EditingSessionId,
        /// The name of the window.
        pub client: String,
        /// The node to which it is connected.
        pub node: String,
        /// The space.
        pub space: SpaceId,
        /// The change request; `None` for the main content.
        pub change_request: Option<ChangeRequestId>,
        /// The page.
        pub page: PageId,
        /// The person.
        pub user: UserId = user_id,
        /// The version to which the positions belong.
        pub selected_version: Option<i64>,
        /// The position where the selection began.
        pub anchor: Option<i64>,
        /// The position of the cursor.
        pub head: Option<i64>,
        /// The time at which the node said that the window is there.
        pub seen_at: Timestamp,
    }
}

/// Inserts or updates windows.
///
/// # Errors
/// Returns an error if the store fails.
pub fn put(tx: &Tx<'_>, windows: &[EditingWindow]) -> Result<(), StoreError> {
    for window in windows {
        tx.execute(
            sql!(
                insert!(EditingWindow),
                " ON CONFLICT (session, client, node) DO UPDATE SET \
                 selected_version = excluded.selected_version, anchor = excluded.anchor, \
                 head = excluded.head, seen_at = excluded.seen_at"
            ),
            &window.values(),
        )?;
    }
    Ok(())
}

/// Deletes a window of a node.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(
    tx: &Tx<'_>,
    session: EditingSessionId,
    client: &str,
    node: &str,
) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM editing_windows WHERE session = $1 AND client = $2 AND node = $3",
        params![session, client, node],
    )?;
    Ok(())
}

/// Deletes windows that were seen last before a time.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_expired(tx: &Tx<'_>, before: Timestamp) -> Result<u64, StoreError> {
    tx.execute("DELETE FROM editing_windows WHERE seen_at < $1", params![before])
}

/// Returns the windows of sessions that are connected to other nodes and were seen since a time,
/// with the names of the people.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_of_others(
    tx: &Tx<'_>,
    sessions: &[EditingSessionId],
    node: &str,
    since: Timestamp,
) -> Result<Vec<(EditingWindow, String)>, StoreError> {
    let mut found = Vec::new();
    for sessions in sessions.chunks(MAX_IDS) {
        let mut values = vec![since.into()];
        let places = placeholders(&mut values, sessions);
        let sql = format!(
            "SELECT {}, u.display_name FROM editing_windows w JOIN users u ON u.id = w.user_id \
             WHERE w.seen_at >= $1 AND w.session IN ({places})",
            EditingWindow::COLUMNS
        );
        let windows: Vec<(EditingWindow, String)> = tx.query(&sql, &values, FromRow::from_row)?;
        found.extend(windows.into_iter().filter(|(window, _)| window.node != node));
    }
    Ok(found)
}

/// Returns the windows in a space that are connected to other nodes and were seen since a time.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_in_space(
    tx: &Tx<'_>,
    space: SpaceId,
    since: Timestamp,
) -> Result<Vec<EditingWindow>, StoreError> {
    tx.query(
        sql!(EditingWindow::SELECT, " WHERE w.space = $1 AND w.seen_at >= $2"),
        params![space, since],
        EditingWindow::from_row,
    )
}
