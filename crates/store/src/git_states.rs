//! The Git state of a space: the repository and the commit that it was last synchronised with.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use bindery_model::{GitProvider, JobId, SpaceId, Timestamp};

use crate::jobs::{JobError, JobStatus};
use crate::record::{Columns, FromRow, Insert, Record, ToRow, insert, record, sql};
use crate::value::placeholders;
use crate::{StoreError, Tx, Value};

record! {
    /// The state of a space after its last import.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct GitState in git_states as g, insert {
        /// The repository's address, without secrets.
        pub url: String,
        /// The ref.
        pub reference: String = ref,
        /// The project's directory in the repository; empty for the root.
        pub directory: String,
        /// The commit's id in hexadecimal; empty after an import from an archive.
        pub oid: String,
        /// The map of paths and blobs at this commit, encoded.
        pub state: Vec<u8>,
        /// The URL at which people browse the repository's files.
        pub tree_url: Option<String>,
        /// Time of the last synchronisation.
        pub updated_at: Timestamp,
        /// The time of the event that caused the last import that had one. Older events are
        /// obsolete.
        pub event_at: Option<Timestamp>,
        /// The Git hosting service that the last import named.
        pub provider: Provider = (provider, provider_url),
    }
}

/// The Git hosting service that an import names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Provider {
    /// Its name.
    pub name: Option<GitProvider>,
    /// The URL at which people see the repository.
    pub url: Option<String>,
}

impl Provider {
    /// Returns this service; what it lacks is taken from the previous one of the same repository.
    #[must_use]
    pub fn or(self, previous: Option<&Self>) -> Self {
        let known = previous.cloned().unwrap_or_default();
        Self { name: self.name.or(known.name), url: self.url.or(known.url) }
    }
}

impl FromRow for Provider {
    fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError> {
        Ok(Self { name: columns.read()?, url: columns.read()? })
    }
}

impl ToRow for Provider {
    fn append_to<'a>(&'a self, values: &mut Vec<Value<'a>>) {
        self.name.append_to(values);
        self.url.append_to(values);
    }
}

/// Sets the state of a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(tx: &Tx<'_>, space: SpaceId, state: &GitState) -> Result<(), StoreError> {
    let mut values = state.values();
    values.push(space.into());
    tx.execute(
        sql!(
            insert!(GitState, space),
            " ON CONFLICT (space) DO UPDATE SET \
             url = excluded.url, ref = excluded.ref, directory = excluded.directory, \
             oid = excluded.oid, state = excluded.state, tree_url = excluded.tree_url, \
             updated_at = excluded.updated_at, event_at = excluded.event_at, \
             provider = excluded.provider, provider_url = excluded.provider_url"
        ),
        &values,
    )?;
    Ok(())
}

/// Returns the Git state of a space, or `None` if it was never synchronised.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, space: SpaceId) -> Result<Option<GitState>, StoreError> {
    tx.query_opt(sql!(GitState::SELECT, " WHERE g.space = $1"), &[space.into()], GitState::from_row)
}

/// Returns the encoded states of all spaces, sorted by space id, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_states(
    tx: &Tx<'_>,
    after: Option<SpaceId>,
    limit: u32,
) -> Result<Vec<(SpaceId, Vec<u8>)>, StoreError> {
    let after = after.map_or_else(String::new, |space| space.to_string());
    tx.query(
        "SELECT g.space, g.state FROM git_states g WHERE g.space > $1 ORDER BY g.space LIMIT $2",
        &[after.into(), limit.into()],
        FromRow::from_row,
    )
}

record! {
    /// The latest requested import into a space's main content.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct GitAttempt in git_attempts as a, insert {
        /// Its job.
        pub job: JobId,
        /// The repository's address, without secrets.
        pub url: String,
        /// The Git hosting service that the import named.
        pub provider: Provider = (provider, provider_url),
    }
}

/// Records the latest requested import into a space's main content.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_attempt(tx: &Tx<'_>, space: SpaceId, attempt: &GitAttempt) -> Result<(), StoreError> {
    let mut values = attempt.values();
    values.push(space.into());
    tx.execute(
        sql!(
            insert!(GitAttempt, space),
            " ON CONFLICT (space) DO UPDATE SET job = excluded.job, \
             url = excluded.url, provider = excluded.provider, provider_url = excluded.provider_url"
        ),
        &values,
    )?;
    Ok(())
}

/// The Git state that API responses for a space include.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GitOrigin {
    /// The repository's address, without secrets.
    pub url: String,
    /// The Git hosting service.
    pub provider: Provider,
    /// Time of the last synchronisation; `None` if there was none.
    pub updated_at: Option<Timestamp>,
    /// The state of the latest attempt.
    pub attempt: Option<AttemptState>,
}

record! {
    /// The state of an attempt to synchronise.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct AttemptState in jobs as j {
        /// Its job.
        pub job: JobId = id,
        /// The job's status.
        pub status: JobStatus,
        /// The error of the job or of its last attempt.
        pub error: Option<JobError> = (error_code, error_message),
        /// The job's progress message, for people.
        pub message: Option<String> = progress_message,
        /// The time at which the job ended, else started, else was created.
        pub at: Timestamp = "COALESCE(j.finished_at, j.started_at, j.created_at)",
    }
}

/// Returns the Git origins of these spaces. Omits spaces without a synchronisation or an attempt.
///
/// # Errors
/// Returns an error if the store fails.
pub fn origins(tx: &Tx<'_>, ids: &[SpaceId]) -> Result<HashMap<SpaceId, GitOrigin>, StoreError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut values = Vec::new();
    let sql = format!(
        "SELECT g.space, g.url, g.provider, g.provider_url, g.updated_at FROM git_states g \
         WHERE g.space IN ({}) AND g.url <> ''",
        placeholders(&mut values, ids)
    );
    let rows = tx.query(&sql, &values, |row| {
        let (space, url, provider, updated_at) = FromRow::from_row(row)?;
        Ok((space, GitOrigin { url, provider, updated_at, attempt: None }))
    })?;
    let mut origins: HashMap<SpaceId, GitOrigin> = rows.into_iter().collect();
    for (space, url, provider, attempt) in attempts(tx, ids)? {
        match origins.entry(space) {
            Entry::Occupied(mut known) => known.get_mut().attempt = Some(attempt),
            Entry::Vacant(place) => {
                place.insert(GitOrigin { url, provider, updated_at: None, attempt: Some(attempt) });
            }
        }
    }
    Ok(origins)
}

type Attempt = (SpaceId, String, Provider, AttemptState);

fn attempts(tx: &Tx<'_>, ids: &[SpaceId]) -> Result<Vec<Attempt>, StoreError> {
    let mut values = Vec::new();
    let sql = format!(
        "SELECT a.space, a.url, a.provider, a.provider_url, {} \
         FROM git_attempts a JOIN jobs j ON j.id = a.job WHERE a.space IN ({})",
        AttemptState::COLUMNS,
        placeholders(&mut values, ids)
    );
    tx.query(&sql, &values, Attempt::from_row)
}
