//! Imports that wait in a change request until their conflicts are resolved.

use bindery_model::{ChangeRequestId, RevisionId, SpaceId, Timestamp, UserId};
use bindery_store::change_requests::{self, ChangeRequest, Status};
use bindery_store::git_states::{self, GitState as GitRow};
use bindery_store::import_change_requests::{self, ImportChangeRequest};
use bindery_store::revisions::{self, ImportBase};
use bindery_store::spaces::{self, Space};
use bindery_store::{Event, NewEvent, StoreError, Tx};

use crate::review::change_requests::counted;

/// An import whose changes wait in an open change request.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(super) import: ImportChangeRequest,
    pub(crate) change_request: ChangeRequest,
}

/// A change request and its head, by which a transaction finds that it has changed.
pub(super) type PendingKey = (ChangeRequestId, RevisionId);

impl Pending {
    /// Returns the import that waits in a space. An archived change request does not count.
    pub(crate) fn of_space(tx: &Tx<'_>, space: SpaceId) -> Result<Option<Self>, StoreError> {
        let Some(import) = import_change_requests::get(tx, space)? else { return Ok(None) };
        let change_request = change_requests::get(tx, space, import.change_request)?;
        let open = change_request
            .filter(|row| row.status.is_pending())
            .map(|change_request| Self { import, change_request });
        Ok(open)
    }

    /// Returns the import that waits in a change request.
    pub(crate) fn of_change_request(
        tx: &Tx<'_>,
        change_request: &ChangeRequest,
    ) -> Result<Option<Self>, StoreError> {
        let pending = Self::of_space(tx, change_request.space)?;
        Ok(pending.filter(|pending| pending.change_request.id == change_request.id))
    }

    pub(super) fn key(&self) -> PendingKey {
        (self.change_request.id, self.change_request.head)
    }

    /// Returns `true` if somebody changed the content of the change request.
    pub(super) fn is_edited(&self) -> bool {
        self.change_request.head != self.import.written
    }

    /// Returns `true` if the import is from this repository, ref and directory.
    pub(crate) fn is_of(&self, branch: (&str, &str, &str)) -> bool {
        let ImportChangeRequest { url, reference, directory, .. } = &self.import;
        (url.as_str(), reference.as_str(), directory.as_str()) == branch
    }

    /// Makes the import what the space and the repository agree on. `merged` is the revision of the
    /// main content with which the change request was merged.
    pub(crate) fn agree(
        &self,
        tx: &Tx<'_>,
        merged: RevisionId,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let space = self.change_request.space;
        let ImportChangeRequest { imported, url, directory, tree_url, event_at, provider, .. } =
            &self.import;
        let missing = || StoreError::Corrupt("an import in a change request is lost".to_owned());
        let row = revisions::get(tx, space, *imported)?.ok_or_else(missing)?;
        let commit = revisions::commit(tx, space, *imported)?.ok_or_else(missing)?;
        let before = git_states::get(tx, space)?;
        let state = GitRow {
            url: url.clone(),
            reference: commit.reference.clone(),
            directory: directory.clone(),
            oid: commit.oid.clone(),
            state: commit.state.clone(),
            tree_url: tree_url.clone(),
            updated_at: now,
            event_at: before.as_ref().and_then(|before| before.event_at).max(*event_at),
            provider: provider.clone(),
        };
        git_states::set(tx, space, &state)?;
        let synced = ImportBase { object: row.object, state: commit.state.clone() };
        revisions::set_import_base(tx, space, merged, &synced)?;
        revisions::set_commit(tx, space, merged, &commit)?;
        import_change_requests::delete(tx, space)
    }

    /// Forgets the import because the space and `branch` agree on something newer. Archives the
    /// change request if its changes are from that branch and nobody edited it.
    pub(crate) fn supersede(
        &self,
        tx: &Tx<'_>,
        space: &Space,
        branch: (&str, &str, &str),
        actor: Option<UserId>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        import_change_requests::delete(tx, space.id)?;
        if self.is_edited() || !self.is_of(branch) {
            return Ok(());
        }
        let before = &self.change_request;
        let after = ChangeRequest { status: Status::Archived, updated_at: now, ..before.clone() };
        change_requests::update(tx, &after)?;
        spaces::add_counts(tx, space.id, counted(Some(before.status), Some(after.status)))?;
        let fields = vec!["status".to_owned()];
        let event = Event::ChangeRequestUpdated { change_request: after.id, fields };
        tx.record(
            &NewEvent::new(event).by(actor).organization(space.organization).space(space.id),
        )?;
        Ok(())
    }
}
