//! The branches to which spaces were exported, except those that they were imported from.

use bindery_model::{SpaceId, Timestamp};
use bindery_revision::Hash;

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

/// Maximum number of branches that are remembered for a space. The next export to a forgotten
/// branch compares all files.
const MAX_BRANCHES: u32 = 32;

record! {
    /// The state of a branch after the last export to it.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct GitExport in git_exports as e, insert {
        /// The repository's address, without secrets.
        pub url: String,
        /// The full name of the branch.
        pub reference: String = ref,
        /// The project's directory in the repository; empty for the root.
        pub directory: String,
        /// The commit's id in hexadecimal; empty if it has changes that the space lacks.
        pub oid: String,
        /// The object of the revision that was exported.
        pub object: Hash,
        /// The map of paths and blobs in which the commit agrees with the revision, encoded.
        pub state: Vec<u8>,
        /// Time of the export.
        pub updated_at: Timestamp,
    }
}

/// Sets the state of a branch, and forgets the branches that were not exported to for the longest
/// time.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(tx: &Tx<'_>, space: SpaceId, export: &GitExport) -> Result<(), StoreError> {
    let mut values = export.values();
    values.push(space.into());
    tx.execute(
        sql!(
            insert!(GitExport, space),
            " ON CONFLICT (space, url, ref, directory) DO UPDATE SET oid = excluded.oid, \
             object = excluded.object, state = excluded.state, updated_at = excluded.updated_at"
        ),
        &values,
    )?;
    tx.execute(
        "DELETE FROM git_exports WHERE space = $1 AND (url, ref, directory) NOT IN \
         (SELECT e.url, e.ref, e.directory FROM git_exports e WHERE e.space = $1 \
         ORDER BY e.updated_at DESC, e.url, e.ref, e.directory LIMIT $2)",
        &[space.into(), MAX_BRANCHES.into()],
    )?;
    Ok(())
}

/// Returns the state of a branch, or `None` if the space was not exported to it.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    space: SpaceId,
    (url, reference, directory): (&str, &str, &str),
) -> Result<Option<GitExport>, StoreError> {
    tx.query_opt(
        sql!(
            GitExport::SELECT,
            " WHERE e.space = $1 AND e.url = $2 AND e.ref = $3 AND e.directory = $4"
        ),
        &[space.into(), url.into(), reference.into(), directory.into()],
        GitExport::from_row,
    )
}

/// Returns the objects and encoded states of all exports of the first `limit` spaces after `after`,
/// sorted by space id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_roots(
    tx: &Tx<'_>,
    after: Option<SpaceId>,
    limit: u32,
) -> Result<Vec<(SpaceId, Hash, Vec<u8>)>, StoreError> {
    let after = after.map_or_else(String::new, |space| space.to_string());
    tx.query(
        "SELECT e.space, e.object, e.state FROM git_exports e WHERE e.space IN \
         (SELECT DISTINCT x.space FROM git_exports x WHERE x.space > $1 \
         ORDER BY x.space LIMIT $2) ORDER BY e.space",
        &[after.into(), limit.into()],
        FromRow::from_row,
    )
}
