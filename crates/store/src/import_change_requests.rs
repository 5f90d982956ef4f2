//! The change requests that contain imports from Git whose changes conflict with those of the space.

use bindery_model::{ChangeRequestId, RevisionId, SpaceId, Timestamp};

use crate::git_states::Provider;
use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

record! {
    /// The change request of a space that contains its last import with conflicts.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct ImportChangeRequest in import_change_requests as i, insert {
        /// The change request.
        pub change_request: ChangeRequestId,
        /// The revision with the content of the repository. Its commit is stored with it.
        pub imported: RevisionId,
        /// The revision of the change request that the import wrote last.
        pub written: RevisionId,
        /// The repository's address, without secrets.
        pub url: String,
        /// The ref.
        pub reference: String = ref,
        /// The project's directory in the repository; empty for the root.
        pub directory: String,
        /// The URL at which people browse the repository's files.
        pub tree_url: Option<String>,
        /// The time of the event that caused the import.
        pub event_at: Option<Timestamp>,
        /// The Git hosting service that the import named.
        pub provider: Provider = (provider, provider_url),
    }
}

/// Sets the change request of a space. Replaces the previous one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(tx: &Tx<'_>, space: SpaceId, import: &ImportChangeRequest) -> Result<(), StoreError> {
    delete(tx, space)?;
    let mut values = import.values();
    values.push(space.into());
    tx.execute(insert!(ImportChangeRequest, space), &values)?;
    Ok(())
}

/// Returns the change request of a space; `None` if its last import had no conflicts.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, space: SpaceId) -> Result<Option<ImportChangeRequest>, StoreError> {
    tx.query_opt(
        sql!(ImportChangeRequest::SELECT, " WHERE i.space = $1"),
        &[space.into()],
        ImportChangeRequest::from_row,
    )
}

/// Forgets the change request of a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, space: SpaceId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM import_change_requests WHERE space = $1", &[space.into()])?;
    Ok(())
}
