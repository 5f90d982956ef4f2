//! The Git state of a space: where its content was last synchronised from, and at which commit.

use std::collections::HashMap;

use bindery_model::{SpaceId, Timestamp};

use crate::value::placeholders;
use crate::{StoreError, Tx};

/// The state of a space after its last import.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GitState {
    /// The repository's address, without secrets.
    pub url: String,
    /// The ref.
    pub reference: String,
    /// The project's directory in the repository; empty: its root.
    pub directory: String,
    /// The commit's id, in hexadecimal; empty for what came from an archive.
    pub oid: String,
    /// The map of paths and blobs at this commit, encoded.
    pub state: Vec<u8>,
    /// Where people see the repository's files.
    pub tree_url: Option<String>,
    /// When it was last synchronised.
    pub updated_at: Timestamp,
}

/// Sets the state of a space.
///
/// # Errors
/// When the store fails.
pub fn set(tx: &Tx<'_>, space: SpaceId, state: &GitState) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO git_states (space, url, ref, directory, oid, state, tree_url, updated_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (space) DO UPDATE SET \
         url = excluded.url, ref = excluded.ref, directory = excluded.directory, \
         oid = excluded.oid, state = excluded.state, tree_url = excluded.tree_url, \
         updated_at = excluded.updated_at",
        &[
            space.into(),
            state.url.as_str().into(),
            state.reference.as_str().into(),
            state.directory.as_str().into(),
            state.oid.as_str().into(),
            state.state.as_slice().into(),
            state.tree_url.as_deref().into(),
            state.updated_at.into(),
        ],
    )?;
    Ok(())
}

/// The state of a space; `None` if it was never synchronised.
///
/// # Errors
/// When the store fails.
pub fn get(tx: &Tx<'_>, space: SpaceId) -> Result<Option<GitState>, StoreError> {
    tx.query_opt(
        "SELECT g.url, g.ref, g.directory, g.oid, g.state, g.tree_url, g.updated_at \
         FROM git_states g WHERE g.space = $1",
        &[space.into()],
        |row| {
            Ok(GitState {
                url: row.get(0)?,
                reference: row.get(1)?,
                directory: row.get(2)?,
                oid: row.get(3)?,
                state: row.get(4)?,
                tree_url: row.get(5)?,
                updated_at: row.get(6)?,
            })
        },
    )
}

/// The encoded states of all spaces, from behind the given one, in the order of their ids.
///
/// # Errors
/// When the store fails.
pub fn states(
    tx: &Tx<'_>,
    after: Option<SpaceId>,
    limit: u32,
) -> Result<Vec<(SpaceId, Vec<u8>)>, StoreError> {
    let after = after.map_or_else(String::new, |space| space.to_string());
    tx.query(
        "SELECT g.space, g.state FROM git_states g WHERE g.space > $1 ORDER BY g.space LIMIT $2",
        &[after.into(), limit.into()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// What a space's answer shows of its Git state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GitOrigin {
    /// The repository's address, without secrets.
    pub url: String,
    /// When it was last synchronised.
    pub updated_at: Timestamp,
}

/// Where these spaces were synchronised from, of those that were.
///
/// # Errors
/// When the store fails.
pub fn origins(tx: &Tx<'_>, ids: &[SpaceId]) -> Result<HashMap<SpaceId, GitOrigin>, StoreError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut values = Vec::new();
    let sql = format!(
        "SELECT g.space, g.url, g.updated_at FROM git_states g \
         WHERE g.space IN ({}) AND g.url <> ''",
        placeholders(&mut values, ids)
    );
    let rows = tx.query(&sql, &values, |row| {
        let origin = GitOrigin { url: row.get(1)?, updated_at: row.get(2)? };
        Ok((row.get::<SpaceId>(0)?, origin))
    })?;
    Ok(rows.into_iter().collect())
}
