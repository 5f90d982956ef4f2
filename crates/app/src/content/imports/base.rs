//! The state of a space before an import.

use std::sync::Arc;

use bindery_git::import::{GitState, ImportCounts, ImportResult, Previous};
use bindery_model::{Error, Result, Timestamp};
use bindery_revision::{Content, Revision};
use bindery_store::git_exports;
use bindery_store::git_states::{self, GitState as GitRow};
use bindery_store::revisions;
use bindery_store::spaces::{self, Space};
use bindery_store::{Job, Tx};

use super::origin::Origin;
use super::pending::{Pending, PendingKey};
use crate::App;
use crate::content::snapshot::{self, Snapshot};
use crate::content::synced_content::SyncedContent;
use crate::content::{git, git_branches};
use crate::jobs::JobFailure;

/// The content and the Git state of a space before an import.
pub(super) struct Base {
    pub(super) space: Space,
    pub(super) snapshot: Snapshot,
    state: Option<GitState>,
    /// The row that contains the state.
    pub(super) row: Option<GitRow>,
    /// The content on which the space and the repository agreed last.
    pub(super) agreed: Option<SyncedContent>,
    /// An earlier import whose conflicts are not resolved yet.
    pub(super) waiting: Option<Waiting>,
    /// The contents of change requests that have branches. Their new pages keep their ids when the
    /// branches are merged in the repository.
    proposed: Vec<Content>,
}

/// An import that waits in a change request.
pub(super) struct Waiting {
    pub(super) pending: Pending,
    /// The content of the repository.
    pub(super) imported: SyncedContent,
    /// The head of the change request.
    pub(super) head: Arc<Revision>,
}

impl Waiting {
    /// Returns the content of the repository as the result of an import.
    pub(super) fn result(&self) -> ImportResult {
        let SyncedContent { state, .. } = &self.imported;
        ImportResult {
            content: self.imported.content.clone(),
            state: state.clone(),
            prefix: state.prefix.clone(),
            warnings: Vec::new(),
            counts: ImportCounts::default(),
            languages: Vec::new(),
        }
    }

    fn read(app: &App, tx: &Tx<'_>, pending: Pending) -> Result<Self> {
        let missing = || Error::internal("an import in a change request without its revision");
        let (space, id) = (pending.change_request.space, pending.import.imported);
        let row = revisions::get(tx, space, id)?.ok_or_else(missing)?;
        let commit = revisions::commit(tx, space, id)?.ok_or_else(missing)?;
        let oid = Some(commit.oid);
        let imported = SyncedContent::read(app, tx, row.object, &commit.state, oid)?;
        let head = revisions::get(tx, space, pending.change_request.head)?.ok_or_else(missing)?;
        Ok(Self { imported, head: snapshot::revision(app, tx, &head.object)?, pending })
    }
}

impl Base {
    /// Reads the present state of the job's space.
    pub(super) fn read(app: &App, job: &Job) -> std::result::Result<Self, JobFailure> {
        let space =
            job.space.ok_or_else(|| JobFailure::fatal("internal", "an import without a space"))?;
        let base = app.store.read_sync(|tx| {
            let space = spaces::get(tx, space)?.filter(|space| space.deleted_at.is_none());
            let Some(space) = space else { return Ok(None) };
            let snapshot = Snapshot::of(app, tx, &space, None)?;
            let row = git_states::get(tx, space.id)?;
            let state = row.as_ref().map(|row| git::decode(&row.state)).transpose()?;
            let agreed = SyncedContent::of_main(app, tx, space.id, space.head, row.as_ref())?;
            let pending = Pending::of_space(tx, space.id)?;
            let waiting = pending.map(|pending| Waiting::read(app, tx, pending)).transpose()?;
            let proposed = git_branches::proposed(app, tx, space.id)?;
            Ok(Some(Self { space, snapshot, state, row, agreed, waiting, proposed }))
        });
        base.map_err(JobFailure::internal)?
            .ok_or_else(|| JobFailure::fatal("space-deleted", "the space was deleted"))
    }

    /// Replaces the agreement by the one with the branch of the import, if the space was exported
    /// to that branch and is synchronised with another one.
    pub(super) fn with_branch(
        mut self,
        app: &App,
        origin: &Origin,
    ) -> std::result::Result<Self, JobFailure> {
        let is_other = |row: &GitRow| {
            (row.url.as_str(), row.reference.as_str(), row.directory.as_str()) != origin.branch()
        };
        if self.row.as_ref().is_some_and(is_other) {
            let exported = app.store.read_sync(|tx| {
                let row = git_exports::get(tx, self.space.id, origin.branch())?;
                row.map(|row| SyncedContent::of_export(app, tx, row)).transpose()
            });
            self.agreed = exported.map_err(JobFailure::internal)?.or(self.agreed);
        }
        Ok(self)
    }

    /// Returns the last imported commit.
    fn commit(&self) -> Option<&str> {
        self.row.as_ref().map(|row| row.oid.as_str()).filter(|oid| !oid.is_empty())
    }

    /// Returns a commit whose files are known, so that their dates need no history.
    pub(super) fn known(&self) -> Option<&str> {
        let waiting = self.waiting.as_ref().and_then(|waiting| waiting.imported.oid.as_deref());
        waiting.or(self.commit())
    }

    /// Returns the time of the last event that caused an import or an export.
    pub(super) fn last_event(&self) -> Option<Timestamp> {
        let waiting = self.waiting.as_ref().and_then(|waiting| waiting.pending.import.event_at);
        waiting.max(self.row.as_ref().and_then(|row| row.event_at))
    }

    /// Returns the address of the repository's file view, if the last import was from `url`.
    pub(super) fn tree_url(&self, url: &str) -> Option<String> {
        self.row.as_ref().filter(|row| row.url == url).and_then(|row| row.tree_url.clone())
    }

    /// Returns `true` if the last import had the same repository, directory and commit.
    pub(super) fn holds(&self, origin: &Origin) -> bool {
        self.row.as_ref().is_some_and(|row| {
            (&row.url, &row.directory, &row.oid) == (&origin.url, &origin.directory, &origin.oid)
        })
    }

    /// Returns the import that waits in a change request, if it is from the branch of `origin`.
    pub(super) fn waiting_import(&self, origin: &Origin) -> Option<&Waiting> {
        self.waiting.as_ref().filter(|waiting| waiting.pending.is_of(origin.branch()))
    }

    pub(super) fn pending_key(&self) -> Option<PendingKey> {
        self.waiting.as_ref().map(|waiting| waiting.pending.key())
    }

    /// Returns the present content as the previous one of an import that replaces it.
    pub(super) fn head(&self) -> Previous<'_> {
        Previous {
            content: &self.snapshot.revision.content,
            state: self.state.as_ref(),
            commit: self.commit(),
            present: None,
            proposed: &self.proposed,
        }
    }

    /// Returns the content of the repository at the last import, for an import that is merged. If
    /// there was none, returns the present content.
    pub(super) fn repository(&self, origin: &Origin) -> Previous<'_> {
        let waiting = self.waiting_import(origin).map(|waiting| &waiting.imported);
        let Some(synced) = waiting.or(self.agreed.as_ref()) else { return self.head() };
        let head = &self.snapshot.revision.content;
        Previous {
            content: &synced.content,
            state: Some(&synced.state),
            commit: synced.oid.as_deref(),
            present: (synced.content != *head).then_some(head),
            proposed: &self.proposed,
        }
    }
}
