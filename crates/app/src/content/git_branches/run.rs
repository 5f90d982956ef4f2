//! The part of a run that transfers branches and change requests.

use std::collections::{BTreeMap, BTreeSet};

use bindery_git::{FetchRequest, RefName, Remote};
use bindery_model::{ChangeRequestExport, GitSyncDirection, OrganizationId};
use bindery_outbound::CancellationToken;
use bindery_revision::Hash;
use bindery_store::git_branches::{self, GitBranch};
use bindery_store::git_syncs::{GitSync, GitSyncSettings};
use bindery_store::{Job, JobError, StoreError, Tx};
use tokio::runtime::Handle;

use super::patterns;
use super::report::Hosted;
use crate::App;
use crate::content::git_requests::{GitRequestPayload, UNREADABLE};
use crate::content::imports::git_failure;
use crate::jobs::{JobFailure, RunningJob};

/// Maximum number of times that a run transfers branches because they move meanwhile.
const MAX_ROUNDS: u32 = 3;
/// Maximum number of branches of a space that are remembered.
const MAX_REMEMBERED: u32 = 10_000;

/// The branches of a repository: the commits by full names.
pub(super) type Listing = BTreeMap<String, String>;

/// Returns `true` if branches are change requests, or the reverse.
fn are_used(settings: &GitSyncSettings) -> bool {
    !settings.branch_patterns.is_empty()
        || settings.change_request_export != ChangeRequestExport::None
}

/// Returns `true` if an event about this branch can concern a change request.
///
/// # Errors
/// Returns an error if the store fails.
pub(in crate::content) fn is_followed(
    tx: &Tx<'_>,
    sync: &GitSync,
    reference: &str,
) -> Result<bool, StoreError> {
    Ok(patterns::is_imported(&sync.settings, reference)
        || git_branches::get(tx, sync.space, reference)?.is_some())
}

/// Returns a digest of the branches that a synchronisation follows; `None` if it follows none.
pub(in crate::content) fn look(
    app: &App,
    sync: &GitSync,
    (organization, cancel): (OrganizationId, &CancellationToken),
) -> Result<Option<String>, JobFailure> {
    let rows = app.store.read_sync(|tx| git_branches::list(tx, sync.space, "", MAX_REMEMBERED))?;
    if !are_used(&sync.settings) && rows.is_empty() {
        return Ok(None);
    }
    let request = GitRequestPayload::of_sync(sync);
    let remote = request.remote(app, organization)?;
    let listing = list(app, &request, &remote, (organization, cancel))?;
    Ok(Some(digest(sync, &rows, &listing)))
}

fn list(
    app: &App,
    request: &GitRequestPayload,
    remote: &Remote,
    (organization, cancel): (OrganizationId, &CancellationToken),
) -> Result<Listing, JobFailure> {
    let reference = named(&request.reference)?;
    let found = app.fetcher.branches(&FetchRequest {
        organization,
        remote,
        cache: request.cache.as_deref(),
        reference: &reference,
        known: None,
        cancel: cancel.clone(),
        progress: &|_| {},
    });
    Ok(found.map_err(git_failure)?.into_iter().collect())
}

fn digest(sync: &GitSync, rows: &[GitBranch], listing: &Listing) -> String {
    let known: BTreeSet<&str> = rows.iter().map(|branch| branch.reference.as_str()).collect();
    let mut text = String::new();
    for (name, oid) in listing {
        if known.contains(name.as_str()) || patterns::is_imported(&sync.settings, name) {
            text.push_str(&format!("{name} {oid}\n"));
        }
    }
    let digest = Hash::of(text.as_bytes());
    digest.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn named(reference: &str) -> Result<RefName, JobFailure> {
    RefName::parse(reference).map_err(|_| JobFailure::fatal("internal", UNREADABLE))
}

/// A run, as far as branches and change requests are concerned.
pub(in crate::content) struct BranchRun<'a> {
    pub(in crate::content) app: &'a App,
    pub(in crate::content) job: &'a Job,
    pub(in crate::content) running: &'a RunningJob,
    pub(in crate::content) organization: OrganizationId,
    pub(in crate::content) sync: &'a GitSync,
    pub(in crate::content) request: &'a GitRequestPayload,
}

impl BranchRun<'_> {
    /// Transfers the changes of branches and change requests. Returns a digest of the branches, by
    /// which later changes are noticed.
    ///
    /// The failure of one branch is stored with it and does not affect the others.
    pub(in crate::content) fn transfer(&self) -> Result<Option<String>, JobFailure> {
        if !are_used(&self.sync.settings) && self.rows()?.is_empty() {
            return Ok(None);
        }
        self.running.report(0, None, "comparing branches");
        let remote = self.request.remote(self.app, self.organization)?;
        let hosted = Hosted::of(self);
        let mut listing = self.list(&remote)?;
        for _ in 0..MAX_ROUNDS {
            self.close(&remote, hosted.as_ref(), &mut listing)?;
            self.pull_all(&remote, hosted.as_ref(), &listing)?;
            let has_moved = self.push_all(&remote, &mut listing)?;
            if !has_moved {
                break;
            }
            listing = self.list(&remote)?;
        }
        self.open_pull_requests(hosted.as_ref())?;
        self.report_all(hosted.as_ref())?;
        Ok(Some(digest(self.sync, &self.rows()?, &listing)))
    }

    pub(super) fn list(&self, remote: &Remote) -> Result<Listing, JobFailure> {
        list(self.app, self.request, remote, (self.organization, &self.running.cancel))
    }

    pub(super) fn name(&self, reference: &str) -> Result<RefName, JobFailure> {
        named(reference)
    }

    /// Returns a request for a ref of the repository. `known` is a commit whose files are known.
    pub(super) fn fetch_request<'r>(
        &'r self,
        remote: &'r Remote,
        reference: &'r RefName,
        known: Option<&'r str>,
    ) -> FetchRequest<'r> {
        FetchRequest {
            organization: self.organization,
            remote,
            cache: self.request.cache.as_deref(),
            reference,
            // Without a known commit, the dates of all files would be read from the history.
            known: known.or(Some("")),
            cancel: self.running.cancel.clone(),
            progress: &|_| {},
        }
    }

    /// Returns all remembered branches of the space.
    pub(super) fn rows(&self) -> Result<Vec<GitBranch>, JobFailure> {
        let space = self.sync.space;
        Ok(self.app.store.read_sync(|tx| git_branches::list(tx, space, "", MAX_REMEMBERED))?)
    }

    /// Returns `true` if changes of the space are written to the repository.
    pub(super) fn exports(&self) -> bool {
        self.sync.settings.direction != GitSyncDirection::Import
    }

    /// Returns `true` if changes of the repository are read.
    pub(super) fn imports(&self) -> bool {
        self.sync.settings.direction != GitSyncDirection::Export
    }

    /// Runs a transaction of this run. It fails if another worker has taken over the job.
    pub(super) fn write<T: Send + 'static>(
        &self,
        with: impl Fn(&Tx<'_>) -> Result<T, JobFailure> + Send + Sync + 'static,
    ) -> Result<T, JobFailure> {
        let lease = self.running.lease.step();
        let written = self.app.store.write(move |tx| {
            tx.finish_job(&lease, None)?;
            with(tx)
        });
        Handle::current().block_on(written)
    }

    /// Returns the result of the transfer of one branch, and stores a failure that does not concern
    /// the others.
    pub(super) fn kept<T: Default>(
        &self,
        branch: Option<GitBranch>,
        outcome: Result<T, JobFailure>,
    ) -> Result<T, JobFailure> {
        let error = match outcome {
            Err(JobFailure::Failed(error, _)) if !concerns_all(&error) => error,
            other => return other,
        };
        let JobError { code, message } = &error;
        tracing::info!(job = %self.job.id, code, message, "a branch was not transferred");
        if let Some(mut branch) = branch {
            branch.error = Some(error);
            self.write(move |tx| Ok(git_branches::set(tx, &branch)?))?;
        }
        Ok(T::default())
    }
}

/// Returns `true` if a failure would also occur with the other branches.
fn concerns_all(error: &JobError) -> bool {
    matches!(error.code.as_str(), "unreachable" | "needs-credentials" | "not-a-repository")
}
