//! The branch that an export writes to, and what the space and the branch last agreed on.

use bindery_model::{JobId, Result, RevisionId, SpaceId, Timestamp, UserId};
use bindery_revision::Hash;
use bindery_store::git_exports::{self, GitExport as ExportRow};
use bindery_store::git_states::{self, GitState as GitRow};
use bindery_store::revisions::{self, Commit, ImportBase};
use bindery_store::spaces::{self, Space};
use bindery_store::{Event, JobLease, NewEvent, StoreError, Tx};

use crate::App;
use crate::content::git_requests::GitRequestPayload;
use crate::content::imports::Pending;
use crate::content::snapshot::Snapshot;
use crate::content::synced_content::SyncedContent;
use crate::jobs::JobFailure;

/// The content of a space, and what it last agreed on with a repository.
pub(super) struct Place {
    pub(super) space: Space,
    pub(super) snapshot: Snapshot,
    /// The state of the repository that the space was imported from.
    pub(super) row: Option<GitRow>,
    /// The last agreement with this branch or, before the first export to it, with the branch that
    /// the space was imported from.
    pub(super) agreed: Option<SyncedContent>,
    /// An import from this branch that waits in a change request.
    pub(super) pending: Option<Pending>,
    /// `true` if the agreement is with this branch.
    pub(super) is_own: bool,
    /// `true` if the branch is the one that the space is synchronised with.
    pub(super) is_main: bool,
}

impl Place {
    /// Reads the state of a space for an export; `None` if the space was deleted.
    pub(super) fn read(
        app: &App,
        tx: &Tx<'_>,
        id: SpaceId,
        asked: &GitRequestPayload,
    ) -> Result<Option<Self>> {
        let space = spaces::get(tx, id)?.filter(|space| space.deleted_at.is_none());
        let Some(space) = space else { return Ok(None) };
        let snapshot = Snapshot::of(app, tx, &space, None)?;
        let row = git_states::get(tx, id)?;
        let is_main = row.as_ref().is_none_or(|row| row.url.is_empty() || is_branch(row, asked));
        let key = (asked.url.as_str(), asked.reference.as_str(), asked.directory.as_str());
        let exported = if is_main { None } else { git_exports::get(tx, id, key)? };
        let is_own = exported.is_some() || row.as_ref().is_some_and(|row| is_branch(row, asked));
        let agreed = match exported {
            Some(exported) => Some(SyncedContent::of_export(app, tx, exported)?),
            None => SyncedContent::of_main(app, tx, id, space.head, row.as_ref())?,
        };
        let pending = Pending::of_space(tx, id)?.filter(|pending| pending.is_of(key));
        Ok(Some(Self { space, snapshot, row, agreed, pending, is_own, is_main }))
    }
}

/// Returns `true` if a space was synchronised with this branch last.
fn is_branch(row: &GitRow, asked: &GitRequestPayload) -> bool {
    (&row.url, &row.reference, &row.directory) == (&asked.url, &asked.reference, &asked.directory)
}

/// The result of an export, ready to be stored.
#[derive(Clone, Debug)]
pub(super) struct Agreement {
    pub(super) space: SpaceId,
    /// `true` if the branch is the one that the space is synchronised with.
    pub(super) is_main: bool,
    pub(super) revision: RevisionId,
    pub(super) object: Hash,
    pub(super) state: Vec<u8>,
    pub(super) request: GitRequestPayload,
    /// The commit at the branch; `None` if it has changes that the space lacks.
    pub(super) agreed_oid: Option<String>,
    /// The commit that the export made.
    pub(super) made: Option<(String, String)>,
    pub(super) actor: Option<UserId>,
    pub(super) job: JobId,
}

impl Agreement {
    /// Stores the agreement and ends the job.
    pub(super) fn store(
        &self,
        tx: &Tx<'_>,
        lease: &JobLease,
        now: Timestamp,
        message: &'static str,
    ) -> Result<(), JobFailure> {
        let Some(space) = spaces::get(tx, self.space)? else {
            return Err(JobFailure::fatal("space-deleted", "the space was deleted"));
        };
        let pending = Pending::of_space(tx, self.space)?;
        let GitRequestPayload { url, reference, directory, .. } = &self.request;
        let branch = (url.as_str(), reference.as_str(), directory.as_str());
        if let Some(pending) = pending.filter(|pending| self.is_main || pending.is_of(branch)) {
            pending.supersede(tx, &space, branch, self.actor, now)?;
        }
        if self.is_main {
            self.store_main(tx, now)?;
        } else {
            let row = ExportRow {
                url: url.clone(),
                reference: reference.clone(),
                directory: directory.clone(),
                oid: self.agreed_oid.clone().unwrap_or_default(),
                object: self.object,
                state: self.state.clone(),
                updated_at: now,
            };
            git_exports::set(tx, self.space, &row)?;
        }
        if let Some((oid, text)) = &self.made {
            let commit = Commit {
                oid: oid.clone(),
                message: text.clone(),
                reference: self.request.reference.clone(),
                url: self.request.commit_url(oid),
                state: self.state.clone(),
                created_here: true,
            };
            revisions::set_commit(tx, self.space, self.revision, &commit)?;
        }
        let commit = self.made.as_ref().map(|(oid, _)| oid.clone());
        tx.record(
            &NewEvent::new(Event::ExportFinished { job: self.job.to_string(), commit })
                .by(self.actor)
                .organization(space.organization)
                .space(self.space),
        )?;
        tx.set_job_message(lease, message)?;
        tx.finish_job(lease, None)?;
        Ok(())
    }

    /// Makes the exported revision the base of the next import and export, for itself and for the
    /// revisions that followed while it was exported.
    fn store_main(&self, tx: &Tx<'_>, now: Timestamp) -> Result<(), StoreError> {
        let GitRequestPayload { url, reference, directory, tree_url, .. } = &self.request;
        let before = git_states::get(tx, self.space)?.filter(|row| row.url == *url);
        let row = GitRow {
            url: url.clone(),
            reference: reference.clone(),
            directory: directory.clone(),
            oid: self.agreed_oid.clone().unwrap_or_default(),
            state: self.state.clone(),
            tree_url: tree_url.clone().or_else(|| before.as_ref()?.tree_url.clone()),
            updated_at: now,
            event_at: self.request.event_at().max(before.as_ref().and_then(|row| row.event_at)),
            provider: self.request.provider().or(before.as_ref().map(|row| &row.provider)),
        };
        git_states::set(tx, self.space, &row)?;
        let base = ImportBase { object: self.object, state: self.state.clone() };
        revisions::set_import_base_from(tx, self.space, self.revision, &base)
    }
}
