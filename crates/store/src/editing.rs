//! Sessions in which people write a page together, with the steps that were accepted.

use bindery_model::{
    ChangeRequestId, EditingSessionId, PageId, RevisionId, SpaceId, Timestamp, UserId,
};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::value::{MAX_IDS, placeholders};
use crate::{StoreError, Tx, params};

/// Maximum number of rows in one statement.
const MAX_ROWS: usize = 64;

record! {
    /// A session as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct EditingSession in editing_sessions as s, insert {
        /// Its id.
        pub id: EditingSessionId,
        /// The space.
        pub space: SpaceId,
        /// The change request; `None` for a page of the main content.
        pub change_request: Option<ChangeRequestId>,
        /// The page.
        pub page: PageId,
        /// The person whose suggestions the text contains; `None` if it is the text of the page.
        pub suggested_by: Option<UserId>,
        /// The revision whose page is the text at `base_version`, unless there is a `base`.
        pub base_revision: RevisionId,
        /// The text at `base_version`, as the JSON of a document of the editor.
        pub base: Option<String>,
        /// The version of the base.
        pub base_version: i64,
        /// The content that the text contains.
        pub revision: RevisionId,
        /// Number of accepted batches.
        pub version: i64,
        /// The version that the content contains.
        pub saved: i64,
        /// The mark of the last batch, by which a text in memory is known to be this one.
        pub stamp: String,
        /// The time of the first batch that the content does not contain.
        pub unsaved_since: Option<Timestamp>,
        /// The time before which a failed save is not repeated.
        pub retry_at: Option<Timestamp>,
        /// The time of the last batch.
        pub changed_at: Timestamp,
        /// Number of suggestions when they were counted last.
        pub open_suggestions: i64,
    }
}

record! {
    /// Accepted steps as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct EditingBatch in editing_batches as b, insert {
        /// The session.
        pub session: EditingSessionId,
        /// The version of the text after them.
        pub version: i64,
        /// The sender; empty for changes from outside of the session.
        pub client: String,
        /// The sender's number of the batch.
        pub number: i64,
        /// The author.
        pub user: Option<UserId> = user_id,
        /// The steps, as JSON.
        pub steps: String,
        /// Number of places that a change from outside and people changed differently.
        pub conflicts: i64,
        /// The mark of the batch.
        pub stamp: String,
        /// Time of acceptance.
        pub created_at: Timestamp,
    }
}

record! {
    /// The last batch of a sender.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct EditingClient in editing_clients as c, insert {
        /// The session.
        pub session: EditingSessionId,
        /// The name of the sender.
        pub client: String,
        /// The author.
        pub user: UserId = user_id,
        /// The sender's number of the batch.
        pub number: i64,
        /// The version of the text after it.
        pub version: i64,
    }
}

/// Inserts a session. Returns `false` if the page has one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, session: &EditingSession) -> Result<bool, StoreError> {
    let inserted =
        tx.execute(sql!(insert!(EditingSession), " ON CONFLICT DO NOTHING"), &session.values())?;
    Ok(inserted > 0)
}

/// Returns a session of a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    space: SpaceId,
    id: EditingSessionId,
) -> Result<Option<EditingSession>, StoreError> {
    tx.query_opt(
        sql!(EditingSession::SELECT, " WHERE s.id = $1 AND s.space = $2"),
        params![id, space],
        EditingSession::from_row,
    )
}

/// Returns the session of a page, or the one with a person's suggestions.
///
/// # Errors
/// Returns an error if the store fails.
pub fn of_page(
    tx: &Tx<'_>,
    (space, change_request): (SpaceId, Option<ChangeRequestId>),
    page: PageId,
    suggested_by: Option<UserId>,
) -> Result<Option<EditingSession>, StoreError> {
    let change_request = change_request.map(|id| id.to_string()).unwrap_or_default();
    let suggested_by = suggested_by.map(|id| id.to_string()).unwrap_or_default();
    tx.query_opt(
        sql!(
            EditingSession::SELECT,
            " WHERE s.space = $1 AND s.page = $2 AND COALESCE(s.change_request, '') = $3 \
             AND COALESCE(s.suggested_by, '') = $4"
        ),
        params![space, page, change_request.as_str(), suggested_by.as_str()],
        EditingSession::from_row,
    )
}

/// Returns the sessions with suggestions for a page of a change request, or for all pages.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_suggesting(
    tx: &Tx<'_>,
    change_request: ChangeRequestId,
    page: Option<PageId>,
    limit: u32,
) -> Result<Vec<EditingSession>, StoreError> {
    let page = page.map(|id| id.to_string()).unwrap_or_default();
    tx.query(
        sql!(
            EditingSession::SELECT,
            " WHERE s.change_request = $1 AND s.suggested_by IS NOT NULL \
             AND ($2 = '' OR s.page = $2) ORDER BY s.page, s.id LIMIT $3"
        ),
        params![change_request, page.as_str(), limit],
        EditingSession::from_row,
    )
}

record! {
    /// The version of a session with suggestions, without its text.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct SuggestionVersion in editing_sessions as s {
        /// The session.
        pub session: EditingSessionId = id,
        /// The space.
        pub space: SpaceId,
        /// The change request.
        pub change_request: Option<ChangeRequestId>,
        /// The page.
        pub page: PageId,
        /// The version.
        pub version: i64,
    }
}

/// Returns the versions of the sessions with suggestions in change requests, in the order of their
/// ids.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_suggestion_versions(
    tx: &Tx<'_>,
    change_requests: &[ChangeRequestId],
) -> Result<Vec<SuggestionVersion>, StoreError> {
    let mut found = Vec::new();
    for ids in change_requests.chunks(MAX_IDS) {
        let mut values = Vec::new();
        let places = placeholders(&mut values, ids);
        let sql = format!(
            "{} WHERE s.change_request IN ({places}) AND s.suggested_by IS NOT NULL ORDER BY s.id",
            SuggestionVersion::SELECT
        );
        found.extend(tx.query(&sql, &values, SuggestionVersion::from_row)?);
    }
    Ok(found)
}

/// Returns the sessions of a change request, or of the main content of a space, whose last batches
/// the content does not contain.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_unsaved(
    tx: &Tx<'_>,
    (space, change_request): (SpaceId, Option<ChangeRequestId>),
) -> Result<Vec<EditingSession>, StoreError> {
    let change_request = change_request.map(|id| id.to_string()).unwrap_or_default();
    tx.query(
        sql!(
            EditingSession::SELECT,
            " WHERE s.space = $1 AND COALESCE(s.change_request, '') = $2 \
             AND s.suggested_by IS NULL AND s.unsaved_since IS NOT NULL ORDER BY s.page"
        ),
        params![space, change_request.as_str()],
        EditingSession::from_row,
    )
}

/// Times after which the text of a session is saved.
#[derive(Clone, Copy, Debug)]
pub struct SaveTimes {
    /// A session that has not been changed since then is saved.
    pub idle_since: Timestamp,
    /// A session that has not been saved since then is saved.
    pub unsaved_since: Timestamp,
}

/// Returns the sessions to save: those of change requests, and those of the main content and of
/// suggestions, which can wait.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_due(
    tx: &Tx<'_>,
    change_requests: SaveTimes,
    others: SaveTimes,
    limit: u32,
) -> Result<Vec<EditingSession>, StoreError> {
    tx.query(
        sql!(
            EditingSession::SELECT,
            " WHERE s.unsaved_since IS NOT NULL AND (s.retry_at IS NULL OR s.retry_at <= $1) \
             AND (s.changed_at <= $4 OR s.unsaved_since <= $5 \
             OR (s.change_request IS NOT NULL AND s.suggested_by IS NULL \
             AND (s.changed_at <= $2 OR s.unsaved_since <= $3))) \
             ORDER BY s.unsaved_since, s.id LIMIT $6"
        ),
        params![
            tx.now(),
            change_requests.idle_since,
            change_requests.unsaved_since,
            others.idle_since,
            others.unsaved_since,
            limit
        ],
        EditingSession::from_row,
    )
}

/// Updates everything of a session that changes, if its version still is `from`. Returns `false`
/// otherwise.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(tx: &Tx<'_>, session: &EditingSession, from: i64) -> Result<bool, StoreError> {
    let s = session;
    let changed = tx.execute(
        "UPDATE editing_sessions SET base_revision = $3, base = $4, base_version = $5, \
         revision = $6, version = $7, saved = $8, stamp = $9, unsaved_since = $10, \
         changed_at = $11, retry_at = $12, open_suggestions = $13 WHERE id = $1 AND version = $2",
        params![
            s.id,
            from,
            s.base_revision,
            s.base.as_deref(),
            s.base_version,
            s.revision,
            s.version,
            s.saved,
            s.stamp.as_str(),
            s.unsaved_since,
            s.changed_at,
            s.retry_at,
            s.open_suggestions,
        ],
    )?;
    Ok(changed > 0)
}

/// Postpones the next attempt to save a session; without a time, until it changes.
///
/// # Errors
/// Returns an error if the store fails.
pub fn postpone(
    tx: &Tx<'_>,
    id: EditingSessionId,
    until: Option<Timestamp>,
) -> Result<(), StoreError> {
    match until {
        Some(until) => tx.execute(
            "UPDATE editing_sessions SET retry_at = $2 WHERE id = $1",
            params![id, until],
        )?,
        None => tx.execute(
            "UPDATE editing_sessions SET unsaved_since = NULL WHERE id = $1",
            params![id],
        )?,
    };
    Ok(())
}

/// Deletes saved sessions without suggestions that have not been changed since `before`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_idle(tx: &Tx<'_>, before: Timestamp) -> Result<u64, StoreError> {
    tx.execute(
        "DELETE FROM editing_sessions \
         WHERE changed_at < $1 AND unsaved_since IS NULL AND open_suggestions = 0",
        params![before],
    )
}

/// Inserts batches.
///
/// # Errors
/// Returns an error if the store fails.
pub fn add_batches(tx: &Tx<'_>, batches: &[EditingBatch]) -> Result<(), StoreError> {
    for batches in batches.chunks(MAX_ROWS) {
        insert_many(tx, batches.iter(), "")?;
    }
    Ok(())
}

/// Inserts records with one statement.
fn insert_many<'a, T: Insert + 'a>(
    tx: &Tx<'_>,
    records: impl Iterator<Item = &'a T>,
    on_conflict: &str,
) -> Result<(), StoreError> {
    let mut values = Vec::new();
    let mut rows = Vec::new();
    for record in records {
        let first = values.len() + 1;
        record.append_to(&mut values);
        let places: Vec<String> = (first..=values.len()).map(|at| format!("${at}")).collect();
        rows.push(format!("({})", places.join(", ")));
    }
    if rows.is_empty() {
        return Ok(());
    }
    let (table, names, rows) = (T::TABLE, T::NAMES, rows.join(", "));
    let sql = format!("INSERT INTO {table} ({names}) VALUES {rows}{on_conflict}");
    tx.execute(&sql, &values)?;
    Ok(())
}

/// Returns the batches after a version, in their order, up to `limit`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_batches(
    tx: &Tx<'_>,
    session: EditingSessionId,
    after: i64,
    limit: u32,
) -> Result<Vec<EditingBatch>, StoreError> {
    tx.query(
        sql!(
            EditingBatch::SELECT,
            " WHERE b.session = $1 AND b.version > $2 ORDER BY b.version LIMIT $3"
        ),
        params![session, after, limit],
        EditingBatch::from_row,
    )
}

/// Returns the length of the steps after a version, in characters of JSON.
///
/// # Errors
/// Returns an error if the store fails.
pub fn length_of_batches(
    tx: &Tx<'_>,
    session: EditingSessionId,
    after: i64,
) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COALESCE(SUM(LENGTH(steps)), 0) FROM editing_batches \
         WHERE session = $1 AND version > $2",
        params![session, after],
        FromRow::from_row,
    )
}

/// Returns `true` if a session has batches that clients sent.
///
/// # Errors
/// Returns an error if the store fails.
pub fn has_typed(tx: &Tx<'_>, session: EditingSessionId) -> Result<bool, StoreError> {
    let found: Option<i64> = tx.query_opt(
        "SELECT version FROM editing_batches WHERE session = $1 AND client <> '' LIMIT 1",
        params![session],
        FromRow::from_row,
    )?;
    Ok(found.is_some())
}

/// Returns the mark of a batch; `None` if it was deleted.
///
/// # Errors
/// Returns an error if the store fails.
pub fn stamp_of(
    tx: &Tx<'_>,
    session: EditingSessionId,
    version: i64,
) -> Result<Option<String>, StoreError> {
    tx.query_opt(
        "SELECT stamp FROM editing_batches WHERE session = $1 AND version = $2",
        params![session, version],
        FromRow::from_row,
    )
}

/// Returns the user who sent steps to a session last, of all times.
///
/// # Errors
/// Returns an error if the store fails.
pub fn last_author(tx: &Tx<'_>, session: EditingSessionId) -> Result<Option<UserId>, StoreError> {
    tx.query_opt(
        "SELECT user_id FROM editing_clients WHERE session = $1 ORDER BY version DESC LIMIT 1",
        params![session],
        FromRow::from_row,
    )
}

/// Returns the authors of the batches after a version, the latest last.
///
/// # Errors
/// Returns an error if the store fails.
pub fn authors_after(
    tx: &Tx<'_>,
    session: EditingSessionId,
    after: i64,
) -> Result<Vec<UserId>, StoreError> {
    tx.query(
        "SELECT user_id FROM editing_batches \
         WHERE session = $1 AND version > $2 AND user_id IS NOT NULL AND client <> '' \
         GROUP BY user_id ORDER BY MAX(version)",
        params![session, after],
        FromRow::from_row,
    )
}

/// Deletes batches up to a version that were accepted before a time.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_batches(
    tx: &Tx<'_>,
    session: EditingSessionId,
    version: i64,
    before: Timestamp,
) -> Result<u64, StoreError> {
    tx.execute(
        "DELETE FROM editing_batches WHERE session = $1 AND version <= $2 AND created_at < $3",
        params![session, version, before],
    )
}

/// Deletes the batches of all sessions that were accepted before a time and that the content
/// contains. Returns their number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_saved_batches(tx: &Tx<'_>, before: Timestamp) -> Result<u64, StoreError> {
    tx.execute(
        "DELETE FROM editing_batches WHERE created_at < $1 AND version <= \
         (SELECT s.saved FROM editing_sessions s WHERE s.id = editing_batches.session)",
        params![before],
    )
}

/// Returns the last batch of a sender.
///
/// # Errors
/// Returns an error if the store fails.
pub fn client(
    tx: &Tx<'_>,
    session: EditingSessionId,
    client: &str,
) -> Result<Option<EditingClient>, StoreError> {
    tx.query_opt(
        sql!(EditingClient::SELECT, " WHERE c.session = $1 AND c.client = $2"),
        params![session, client],
        EditingClient::from_row,
    )
}

/// Inserts or updates the last batches of senders, of whom each is there once.
///
/// # Errors
/// Returns an error if the store fails.
pub fn put_clients<'a>(
    tx: &Tx<'_>,
    clients: impl Iterator<Item = &'a EditingClient>,
) -> Result<(), StoreError> {
    let update = " ON CONFLICT (session, client) DO UPDATE SET \
                  number = excluded.number, version = excluded.version";
    let clients: Vec<&EditingClient> = clients.collect();
    for clients in clients.chunks(MAX_ROWS) {
        insert_many(tx, clients.iter().copied(), update)?;
    }
    Ok(())
}

/// Returns those of the sessions whose contents have changed since they took them in.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_behind(
    tx: &Tx<'_>,
    sessions: &[EditingSessionId],
) -> Result<Vec<EditingSession>, StoreError> {
    let mut found = Vec::new();
    for ids in sessions.chunks(MAX_IDS) {
        let mut values = Vec::new();
        let places = placeholders(&mut values, ids);
        let sql = format!(
            "{} LEFT JOIN change_requests c ON c.id = s.change_request \
             LEFT JOIN spaces p ON p.id = s.space AND s.change_request IS NULL \
             WHERE s.id IN ({places}) AND COALESCE(c.head, p.head) <> s.revision",
            EditingSession::SELECT
        );
        found.extend(tx.query(&sql, &values, EditingSession::from_row)?);
    }
    Ok(found)
}
