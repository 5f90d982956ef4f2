//! Revisions of spaces: the row that names the revision's object, and the commit it came from.

use bindery_model::{RevisionId, SpaceId, Timestamp, UserId};
use bindery_revision::Hash;

use crate::{Row, StoreError, Tx};

/// A revision as it is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RevisionRow {
    /// Its id.
    pub id: RevisionId,
    /// The object that holds it.
    pub object: Hash,
    /// Who made it.
    pub author: Option<UserId>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// The Git commit that a revision was imported from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Commit {
    /// The commit's id, in hexadecimal.
    pub oid: String,
    /// Its message.
    pub message: String,
    /// The ref that was imported.
    pub reference: String,
    /// Where people see the commit.
    pub url: Option<String>,
    /// The map of paths and blobs at this commit, encoded.
    pub state: Vec<u8>,
}

fn read(row: &Row<'_>) -> Result<RevisionRow, StoreError> {
    Ok(RevisionRow {
        id: row.get(0)?,
        object: row.get(1)?,
        author: row.get(2)?,
        created_at: row.get(3)?,
    })
}

/// Stores a new revision of a space.
///
/// # Errors
/// When the store fails.
pub fn create(tx: &Tx<'_>, space: SpaceId, revision: &RevisionRow) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO revisions (space, id, object, author, created_at) \
         VALUES ($1, $2, $3, $4, $5)",
        &[
            space.into(),
            revision.id.into(),
            revision.object.as_bytes().as_slice().into(),
            revision.author.into(),
            revision.created_at.into(),
        ],
    )?;
    Ok(())
}

/// The revision of a space with this id.
///
/// # Errors
/// When the store fails.
pub fn get(tx: &Tx<'_>, space: SpaceId, id: RevisionId) -> Result<Option<RevisionRow>, StoreError> {
    tx.query_opt(
        "SELECT r.id, r.object, r.author, r.created_at FROM revisions r \
         WHERE r.space = $1 AND r.id = $2",
        &[space.into(), id.into()],
        read,
    )
}

/// Notes the commit that a revision was imported from.
///
/// # Errors
/// When the store fails.
pub fn set_commit(
    tx: &Tx<'_>,
    space: SpaceId,
    revision: RevisionId,
    commit: &Commit,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO revision_commits (space, revision, oid, message, ref, url, state) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        &[
            space.into(),
            revision.into(),
            commit.oid.as_str().into(),
            commit.message.as_str().into(),
            commit.reference.as_str().into(),
            commit.url.as_deref().into(),
            commit.state.as_slice().into(),
        ],
    )?;
    Ok(())
}

/// The commit that a revision was imported from.
///
/// # Errors
/// When the store fails.
pub fn commit(
    tx: &Tx<'_>,
    space: SpaceId,
    revision: RevisionId,
) -> Result<Option<Commit>, StoreError> {
    tx.query_opt(
        "SELECT c.oid, c.message, c.ref, c.url, c.state FROM revision_commits c \
         WHERE c.space = $1 AND c.revision = $2",
        &[space.into(), revision.into()],
        |row| {
            Ok(Commit {
                oid: row.get(0)?,
                message: row.get(1)?,
                reference: row.get(2)?,
                url: row.get(3)?,
                state: row.get(4)?,
            })
        },
    )
}
