//! The continuous synchronisations of spaces with branches.

use bindery_model::{
    ChangeRequestExport, GitCredentialsKind, GitSyncDirection, GitSyncId, GitSyncPause,
    GitSyncStart, GitSyncStatus, HostingService, RewrittenHistory, SpaceId, Timestamp,
};

use crate::jobs::JobError;
use crate::record::{FromRow, Insert, Record, ToRow, insert, record, sql};
use crate::value::placeholders;
use crate::{StoreError, Tx, Value};

record! {
    /// The settings and the state of the synchronisation of a space.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct GitSync in git_syncs as y, insert {
        /// The space.
        pub space: SpaceId,
        /// The id, which is part of the address for events of the Git server.
        pub id: GitSyncId,
        /// The repository and the transfer.
        pub settings: GitSyncSettings = *,
        /// `true` after the first successful run.
        pub has_run: bool,
        /// The commit at the branch when the last run ended; `None` if it is not known.
        pub tip: Option<String>,
        /// A digest of the branches when the last run ended.
        pub branches: Option<String>,
        /// `true` while a run imports.
        pub importing: bool,
        /// The state.
        pub status: GitSyncStatus,
        /// The reason why it is paused.
        pub pause_reason: Option<GitSyncPause>,
        /// The error of the last run or check.
        pub error: Option<JobError> = (error_code, error_message),
        /// Number of failures in a row.
        pub failures: u32,
        /// Number of failures in a row that the credentials caused.
        pub auth_failures: u32,
        /// Time of the last successful look at the branch.
        pub checked_at: Option<Timestamp>,
        /// Time of the next check or attempt; `None` if there is none.
        pub next_at: Option<Timestamp>,
        /// Time of creation.
        pub created_at: Timestamp,
        /// Time of the last change of the settings.
        pub updated_at: Timestamp,
    }
}

record! {
    /// The settings of a synchronisation.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct GitSyncSettings in git_syncs as y, insert {
        /// The repository's address, without secrets.
        pub url: String,
        /// The full name of the branch.
        pub reference: String = ref,
        /// The project's directory in the repository; empty for the root.
        pub directory: String,
        /// The direction of the transfer.
        pub direction: GitSyncDirection,
        /// The direction of the first run.
        pub initial_direction: GitSyncStart,
        /// The kind of the credentials.
        pub credentials_kind: GitCredentialsKind,
        /// The user name and the password, or the private key, sealed.
        pub credentials: Option<String>,
        /// The public key of the private key.
        pub public_key: Option<String>,
        /// The keys of the SSH server, as lines; `None` until they are known.
        pub host_keys: Option<String>,
        /// The private key that signs commits, sealed.
        pub signing_key: Option<String>,
        /// The public key of the key that signs commits.
        pub signing_public_key: Option<String>,
        /// Seconds between two checks of the branch; 0 for none.
        pub polling_seconds: u32,
        /// The template of the messages of commits.
        pub commit_message: String,
        /// The reaction to a rewritten history.
        pub rewritten_history: RewrittenHistory,
        /// The secret that signs events of the Git server, sealed.
        pub webhook_secret: String,
        /// The names of branches that become change requests, one in a line. A name can contain
        /// asterisks.
        pub branch_patterns: String,
        /// The way in which change requests are written to the repository.
        pub change_request_export: ChangeRequestExport,
        /// The beginning of the names of branches that the server makes.
        pub branch_prefix: String,
        /// The hosting service; `None` to derive it from the address of the repository.
        pub hosting: Option<HostingService>,
        /// The address of the service's interface; `None` to derive it from that of the repository.
        pub hosting_api: Option<String>,
    }
}

impl ToRow for Option<JobError> {
    fn append_to<'a>(&'a self, values: &mut Vec<Value<'a>>) {
        let JobError { code, message } = match self {
            Some(error) => error,
            None => return values.extend([Value::Null, Value::Null]),
        };
        values.extend([code.into(), message.into()]);
    }
}

/// Stores the synchronisation of a space. Replaces the present one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(tx: &Tx<'_>, sync: &GitSync) -> Result<(), StoreError> {
    tx.execute("DELETE FROM git_syncs WHERE space = $1", &[sync.space.into()])?;
    tx.execute(insert!(GitSync), &sync.values())?;
    Ok(())
}

/// Returns the synchronisation of a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, space: SpaceId) -> Result<Option<GitSync>, StoreError> {
    tx.query_opt(sql!(GitSync::SELECT, " WHERE y.space = $1"), &[space.into()], GitSync::from_row)
}

/// Returns the synchronisations of these spaces, in no particular order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn of_spaces(tx: &Tx<'_>, spaces: &[SpaceId]) -> Result<Vec<GitSync>, StoreError> {
    if spaces.is_empty() {
        return Ok(Vec::new());
    }
    let mut values = Vec::new();
    let spaces = placeholders(&mut values, spaces);
    let sql = format!("{} WHERE y.space IN ({spaces})", GitSync::SELECT);
    tx.query(&sql, &values, GitSync::from_row)
}

/// Returns the synchronisation with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_id(tx: &Tx<'_>, id: GitSyncId) -> Result<Option<GitSync>, StoreError> {
    tx.query_opt(sql!(GitSync::SELECT, " WHERE y.id = $1"), &[id.into()], GitSync::from_row)
}

/// Deletes the synchronisation of a space with its history. Returns `false` if there was none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, space: SpaceId) -> Result<bool, StoreError> {
    for sql in [
        "DELETE FROM git_sync_runs WHERE space = $1",
        "DELETE FROM git_sync_dry_runs WHERE space = $1",
        "DELETE FROM git_hook_deliveries WHERE space = $1",
        "DELETE FROM git_branches WHERE space = $1",
    ] {
        tx.execute(sql, &[space.into()])?;
    }
    Ok(tx.execute("DELETE FROM git_syncs WHERE space = $1", &[space.into()])? > 0)
}

/// Sets whether a run is importing into a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_importing(tx: &Tx<'_>, space: SpaceId, importing: bool) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE git_syncs SET importing = $2 WHERE space = $1",
        &[space.into(), importing.into()],
    )?;
    Ok(())
}

/// Stores the keys of the SSH server of a repository, if none are known yet. Does nothing if the
/// space is synchronised with another repository meanwhile.
///
/// # Errors
/// Returns an error if the store fails.
pub fn learn_host_keys(
    tx: &Tx<'_>,
    space: SpaceId,
    url: &str,
    host_keys: &str,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE git_syncs SET host_keys = $3 WHERE space = $1 AND url = $2 AND host_keys IS NULL",
        &[space.into(), url.into(), host_keys.into()],
    )?;
    Ok(())
}

/// Returns `true` if a check or an attempt of any synchronisation is due.
///
/// # Errors
/// Returns an error if the store fails.
pub fn is_any_due(tx: &Tx<'_>) -> Result<bool, StoreError> {
    tx.exists("SELECT 1 FROM git_syncs WHERE next_at <= $1 LIMIT 1", &[tx.now().into()])
}

/// Returns the synchronisations whose check or attempt is due, and sets their next time to
/// `until`, so that no other node takes them. Those of deleted spaces are taken too, but not
/// returned.
///
/// # Errors
/// Returns an error if the store fails.
pub fn claim_due(tx: &Tx<'_>, limit: u32, until: Timestamp) -> Result<Vec<GitSync>, StoreError> {
    let due = tx.query(
        sql!(GitSync::SELECT, " WHERE y.next_at <= $1 ORDER BY y.next_at, y.space LIMIT $2"),
        &[tx.now().into(), limit.into()],
        GitSync::from_row,
    )?;
    let mut claimed = Vec::new();
    for sync in due {
        tx.execute(
            "UPDATE git_syncs SET next_at = $2 WHERE space = $1",
            &[sync.space.into(), until.into()],
        )?;
        let is_deleted = tx.exists(
            "SELECT 1 FROM spaces WHERE id = $1 AND deleted_at IS NOT NULL",
            &[sync.space.into()],
        )?;
        if !is_deleted {
            claimed.push(sync);
        }
    }
    Ok(claimed)
}

/// Remembers events of a Git server by their digests, and forgets the oldest and those from before
/// `since`, so that at most `most` remain. Returns `false` if one of them is known already.
///
/// # Errors
/// Returns an error if the store fails.
pub fn add_deliveries(
    tx: &Tx<'_>,
    space: SpaceId,
    deliveries: &[[u8; 32]],
    since: Timestamp,
    most: u32,
) -> Result<bool, StoreError> {
    let mut is_new = true;
    for delivery in deliveries {
        let added = tx.execute(
            "INSERT INTO git_hook_deliveries (space, delivery, received_at) VALUES ($1, $2, $3) \
             ON CONFLICT (space, delivery) DO NOTHING",
            &[space.into(), delivery.into(), tx.now().into()],
        )?;
        is_new &= added > 0;
    }
    tx.execute(
        "DELETE FROM git_hook_deliveries WHERE space = $1 AND received_at < $2",
        &[space.into(), since.into()],
    )?;
    tx.execute(
        "DELETE FROM git_hook_deliveries WHERE space = $1 AND delivery NOT IN \
         (SELECT d.delivery FROM git_hook_deliveries d WHERE d.space = $1 \
         ORDER BY d.received_at DESC, d.delivery LIMIT $2)",
        &[space.into(), most.into()],
    )?;
    Ok(is_new)
}

/// Returns the number of events that were accepted for a space since `since`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_deliveries(tx: &Tx<'_>, space: SpaceId, since: Timestamp) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM git_hook_deliveries WHERE space = $1 AND received_at >= $2",
        &[space.into(), since.into()],
        FromRow::from_row,
    )
}
