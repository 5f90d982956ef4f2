//! The job of a run: it imports if the branch has changes, then exports if the space has.

use bindery_git::{FetchRequest, GitError, RefName};
use bindery_model::{
    GitCredentialsKind, GitSyncDirection, GitSyncRunState, GitSyncStart, GitSyncStatus,
    GitSyncTrigger, JobKind, OrganizationId, RevisionId, RewrittenHistory, SpaceId,
};
use bindery_outbound::CancellationToken;
use bindery_store::git_sync_runs::{self, GitSyncRun};
use bindery_store::git_syncs::{self, GitSync};
use bindery_store::{
    Event, Job, JobError, NewEvent, Retry, StoreError, Tx, change_requests, import_change_requests,
    spaces,
};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use super::{schedule, template};
use crate::App;
use crate::content::exports::{self, ExportPayload, GitExportJob, Standing};
use crate::content::git_branches::BranchRun;
use crate::content::git_requests::{GitRequestPayload, UNREADABLE};
use crate::content::imports::{self, GitImportJob, GitPayload};
use crate::jobs::{BackgroundJob, JobFailure, RunningJob};

/// Maximum number of attempts of a run whose worker is lost. A run that fails is not repeated: the
/// synchronisation starts another one later.
const ATTEMPTS: u32 = 3;
/// Maximum number of times that a run imports and exports because the branch moves meanwhile.
const MAX_ROUNDS: u32 = 4;

const NOTHING: &str = "nothing to do: the space and the branch agree";
const IMPORTED: &str = "the changes of the branch were imported";
const EXPORTED: &str = "the changes of the space were exported";
const BOTH: &str = "the changes of both sides were transferred";
const ENDED: &str = "nothing to do: the synchronisation was paused or ended";

/// The job that synchronises a space with a branch.
pub(crate) struct GitSyncJob;

/// The payload of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SyncPayload {
    pub(super) trigger: GitSyncTrigger,
}

impl BackgroundJob for GitSyncJob {
    const KIND: JobKind = JobKind::GitSync;
    const MAX_ATTEMPTS: u32 = ATTEMPTS;
    const PAYLOAD_ERROR: &str = UNREADABLE;
    type Payload = SyncPayload;

    fn run(
        app: &App,
        job: &Job,
        payload: SyncPayload,
        running: &RunningJob,
    ) -> Result<(), JobFailure> {
        let Some(mut run) = Run::begin(app, job, payload.trigger, running)? else { return Ok(()) };
        match run.learn_host_keys().and_then(|()| run.transfer_all()) {
            Ok(transferred) => run.succeed(transferred),
            Err(JobFailure::Failed(error, _)) => {
                run.fail(&error)?;
                Err(JobFailure::Failed(error, Retry::Never))
            }
            Err(stopped) => Err(stopped),
        }
    }
}

/// The result of a run.
#[derive(Default)]
struct Transferred {
    /// The commit at the branch; `None` if it is not known.
    tip: Option<String>,
    /// `true` if the run moved the branch.
    has_exported: bool,
    /// A digest of the other branches that are followed.
    branches: Option<String>,
    /// The result in words, if it is not the usual one.
    message: Option<String>,
}

/// An attempt of a run.
struct Run<'a> {
    app: &'a App,
    job: &'a Job,
    running: &'a RunningJob,
    organization: OrganizationId,
    sync: GitSync,
    request: GitRequestPayload,
    record: GitSyncRun,
}

impl<'a> Run<'a> {
    /// Records the start of a run. Returns `None`, and ends the job, if the space is not
    /// synchronised any more.
    fn begin(
        app: &'a App,
        job: &'a Job,
        trigger: GitSyncTrigger,
        running: &'a RunningJob,
    ) -> Result<Option<Self>, JobFailure> {
        let unreadable = || JobFailure::fatal("internal", UNREADABLE);
        let space = job.space.ok_or_else(unreadable)?;
        let organization = job.organization.ok_or_else(unreadable)?;
        let (id, lease) = (job.id, running.lease.clone());
        let begun = app.store.write(move |tx| {
            let head = spaces::get(tx, space)?.filter(|space| space.deleted_at.is_none());
            let sync = git_syncs::get(tx, space)?;
            let sync = sync.filter(|sync| sync.status != GitSyncStatus::Paused);
            let (Some(head), Some(mut sync)) = (head, sync) else {
                tx.set_job_message(&lease, ENDED)?;
                tx.finish_job(&lease, None)?;
                return Ok(None);
            };
            // If the server stops, the end of the job's lease leads to the next attempt.
            (sync.next_at, sync.importing) = (None, false);
            git_syncs::set(tx, &sync)?;
            if let Some(mut record) = git_sync_runs::get_by_job(tx, space, id)? {
                (record.state, record.finished_at) = (GitSyncRunState::Running, None);
                git_sync_runs::update(tx, &record)?;
                return Ok(Some((sync, record)));
            }
            let record = GitSyncRun {
                space,
                number: 0,
                job: id,
                trigger,
                state: GitSyncRunState::Running,
                started_at: tx.now(),
                finished_at: None,
                commit_before: sync.tip.clone(),
                commit_after: None,
                revision_before: Some(head.head),
                revision_after: None,
                error_code: None,
                message: None,
            };
            Ok::<_, StoreError>(Some((sync, git_sync_runs::create(tx, record)?)))
        });
        let Some((sync, record)) = Handle::current().block_on(begun)? else { return Ok(None) };
        let request = GitRequestPayload::of_sync(&sync);
        Ok(Some(Self { app, job, running, organization, sync, request, record }))
    }

    /// Stores the keys that the SSH server presents, if none are known, so that later connections
    /// accept no other ones.
    fn learn_host_keys(&mut self) -> Result<(), JobFailure> {
        let settings = &self.sync.settings;
        if settings.credentials_kind != GitCredentialsKind::Ssh || settings.host_keys.is_some() {
            return Ok(());
        }
        let (app, space) = (self.app, self.sync.space);
        let find = |request: &FetchRequest<'_>| app.fetcher.host_keys(request);
        let Some(keys) = fetching(app, &self.sync, self.place(), None, find)? else {
            return Ok(());
        };
        let (url, learned) = (settings.url.clone(), keys.clone());
        let write =
            app.store.write(move |tx| git_syncs::learn_host_keys(tx, space, &url, &learned));
        Handle::current().block_on(write)?;
        self.sync.settings.host_keys = Some(keys);
        self.request = GitRequestPayload::of_sync(&self.sync);
        Ok(())
    }

    /// Transfers the changes of both sides, and those of branches and change requests.
    fn transfer_all(&self) -> Result<Transferred, JobFailure> {
        let transferred = match self.transfer() {
            // The server protects the branch.
            Err(JobFailure::Failed(error, _)) if error.code == exports::REJECTED => Transferred {
                tip: self.tip()?,
                message: Some(self.branches().propose_main(&error)?),
                ..Transferred::default()
            },
            transferred => transferred?,
        };
        let branches = self.branches().transfer()?;
        Ok(Transferred { branches, ..transferred })
    }

    /// Returns the part of the run that concerns branches and change requests.
    const fn branches(&self) -> BranchRun<'_> {
        BranchRun {
            app: self.app,
            job: self.job,
            running: self.running,
            organization: self.organization,
            sync: &self.sync,
            request: &self.request,
        }
    }

    /// Transfers the changes of the main content and of its branch.
    fn transfer(&self) -> Result<Transferred, JobFailure> {
        let settings = &self.sync.settings;
        let mut has_exported = false;
        // Sides that agreed before are merged, also in the first run.
        let mut is_first = !self.sync.has_run && self.standing()?.shared.is_none();
        for _ in 0..MAX_ROUNDS {
            let tip = self.tip()?;
            let standing = self.standing()?;
            let Steps { imports, begins_with_export } =
                Steps::of(&self.sync, &standing, tip.as_deref(), is_first)?;
            let agreed = standing.agreed_oid;
            if imports {
                check_history(self.app, &self.sync, self.place(), tip.as_deref())?;
                self.import(is_first)?;
                // An import with conflicts leaves the agreement as it was.
                if agreed == self.standing()?.agreed_oid && agreed != tip {
                    return Err(self.conflict()?);
                }
            }
            let standing = self.standing()?;
            let is_needed = begins_with_export || !standing.is_unchanged;
            if settings.direction == GitSyncDirection::Import || !is_needed {
                let tip = standing.agreed_oid.or(tip);
                return Ok(Transferred { tip, has_exported, ..Transferred::default() });
            }
            self.export(&standing, begins_with_export)?;
            is_first = false;
            let agreed = self.standing()?.agreed_oid;
            let now = agreed.clone().map_or_else(|| self.tip(), |agreed| Ok(Some(agreed)))?;
            has_exported |= now != tip;
            // Without an agreed commit, the branch has changes that the space lacks.
            if agreed.is_some() || settings.direction == GitSyncDirection::Export {
                return Ok(Transferred { tip: now, has_exported, ..Transferred::default() });
            }
        }
        // The next check finds a commit that is not the known one.
        Ok(Transferred { has_exported, ..Transferred::default() })
    }

    /// Returns the commit at the branch.
    fn tip(&self) -> Result<Option<String>, JobFailure> {
        self.running.report(0, None, "connecting");
        find_tip(self.app, &self.sync, self.place())
    }

    /// Returns the owner of the repository's cache, and the token that stops the run.
    const fn place(&self) -> (OrganizationId, &CancellationToken) {
        (self.organization, &self.running.cancel)
    }

    fn standing(&self) -> Result<Standing, JobFailure> {
        standing(self.app, self.sync.space, &self.request)
    }

    fn import(&self, replaces: bool) -> Result<(), JobFailure> {
        let space = self.sync.space;
        self.set_importing(space, true)?;
        let payload = GitPayload::of_sync(self.request.clone(), replaces);
        let imported = GitImportJob::run(self.app, self.job, payload, &self.running.step());
        self.set_importing(space, false)?;
        imported
    }

    /// Returns the failure of a run whose import waits in a change request.
    fn conflict(&self) -> Result<JobFailure, JobFailure> {
        let space = self.sync.space;
        let number = self.app.store.read_sync(|tx| {
            let Some(waiting) = import_change_requests::get(tx, space)? else { return Ok(None) };
            let found = change_requests::get(tx, space, waiting.change_request)?;
            Ok::<_, StoreError>(found.map(|found| found.number))
        })?;
        let place = number.map_or_else(String::new, |number| format!(" {number}"));
        let message = format!(
            "both sides changed the same lines; nothing was exported. Resolve the conflicts in \
             change request{place} and merge it"
        );
        Ok(JobFailure::fatal(schedule::CONFLICT, message))
    }

    fn set_importing(&self, space: SpaceId, importing: bool) -> Result<(), JobFailure> {
        let write = self.app.store.write(move |tx| git_syncs::set_importing(tx, space, importing));
        Ok(Handle::current().block_on(write)?)
    }

    fn export(&self, standing: &Standing, force: bool) -> Result<(), JobFailure> {
        let (space, since) = (self.sync.space, standing.shared);
        let text = &self.sync.settings.commit_message;
        let message = self.app.store.read_sync(|tx| {
            let Some(space) = spaces::get(tx, space)? else { return Ok(String::new()) };
            template::render(tx, text, &space, since)
        })?;
        let signing_key = self.sync.settings.signing_key.clone();
        let merged = self.branches().merged()?;
        let payload =
            ExportPayload::of_sync(self.request.clone(), message, force, signing_key, merged);
        GitExportJob::run(self.app, self.job, payload, &self.running.step())
    }

    /// Records the success of the run and ends the job.
    fn succeed(&self, transferred: Transferred) -> Result<(), JobFailure> {
        let Transferred { tip, has_exported, branches, message: given } = transferred;
        let (app, lease, actor) = (self.app, self.running.lease.clone(), self.job.actor);
        let (before, record) = (self.sync.clone(), self.record.clone());
        let (entropy, organization) = (app.entropy.clone(), self.job.organization);
        let ended = app.store.write(move |tx| {
            let now = tx.now();
            let head = spaces::get(tx, before.space)?.map(|space| space.head);
            let mut record = record.clone();
            record.revision_after = head;
            record.commit_after = tip.clone();
            record.state = GitSyncRunState::Done;
            record.finished_at = Some(now);
            let usual = result_message(&record, has_exported);
            let message = given.as_deref().unwrap_or(usual);
            record.message = Some(message.to_owned());
            git_sync_runs::update(tx, &record)?;
            if let Some(mut sync) = current(tx, &before)? {
                sync.has_run = true;
                sync.tip = tip.clone();
                sync.branches = branches.clone();
                schedule::succeed(&mut sync, now, &entropy);
                git_syncs::set(tx, &sync)?;
            }
            let revision = head.filter(|head| record.revision_before != Some(*head));
            let event = Event::GitSyncFinished {
                job: record.job.to_string(),
                revision,
                commit: tip.clone().filter(|_| record.commit_before != tip),
            };
            let event = NewEvent::new(event).by(actor).organization(organization);
            tx.record(&event.space(before.space))?;
            tx.set_job_message(&lease, message)?;
            tx.finish_job(&lease, revision)?;
            Ok::<_, StoreError>(())
        });
        Ok(Handle::current().block_on(ended)?)
    }

    /// Records the failure of the run. The worker ends the job.
    fn fail(&self, error: &JobError) -> Result<(), JobFailure> {
        tracing::info!(
            job = %self.job.id, code = error.code, message = error.message,
            "a synchronisation failed"
        );
        let app = self.app;
        let (entropy, tip) = (app.entropy.clone(), self.tip().ok().flatten());
        let (before, record) = (self.sync.clone(), self.record.clone());
        let (error, actor, organization) = (error.clone(), self.job.actor, self.job.organization);
        let ended = app.store.write(move |tx| {
            let head = spaces::get(tx, before.space)?.map(|space| space.head);
            close(tx, &record, &error, head, tip.clone())?;
            if let Some(mut sync) = current(tx, &before)? {
                sync.importing = false;
                if error.code == schedule::CONFLICT {
                    // The same commit is not imported again before something has changed.
                    sync.tip = tip.clone();
                }
                schedule::fail(&mut sync, error.clone(), tx.now(), &entropy);
                git_syncs::set(tx, &sync)?;
            }
            let event =
                Event::GitSyncFailed { job: record.job.to_string(), code: error.code.clone() };
            let event = NewEvent::new(event).by(actor).organization(organization);
            tx.record(&event.space(before.space))?;
            Ok::<_, StoreError>(())
        });
        Ok(Handle::current().block_on(ended)?)
    }
}

/// The first steps of a run.
pub(super) struct Steps {
    /// `true` if the run imports first.
    pub(super) imports: bool,
    /// `true` if the run writes the content of the space over the branch.
    pub(super) begins_with_export: bool,
}

impl Steps {
    /// Returns the steps that follow from the commit at the branch. `is_first` is `true` if the
    /// space and the branch never agreed.
    pub(super) fn of(
        sync: &GitSync,
        standing: &Standing,
        tip: Option<&str>,
        is_first: bool,
    ) -> Result<Self, JobFailure> {
        let settings = &sync.settings;
        if tip.is_none() && !is_first {
            return Err(branch_is_gone(&settings.reference));
        }
        let begins_with_export = is_first && settings.initial_direction == GitSyncStart::Export;
        let has_news = is_first || (tip.is_some() && standing.agreed_oid.as_deref() != tip);
        let is_imported = settings.direction != GitSyncDirection::Export;
        Ok(Self { imports: is_imported && has_news && !begins_with_export, begins_with_export })
    }
}

/// Returns the relation of a space to its branch.
pub(super) fn standing(
    app: &App,
    space: SpaceId,
    request: &GitRequestPayload,
) -> Result<Standing, JobFailure> {
    let read = app.store.read_sync(|tx| exports::standing(app, tx, space, request));
    read.map_err(JobFailure::internal)?
        .ok_or_else(|| JobFailure::fatal("space-deleted", "the space was deleted"))
}

/// Fails if the history of the branch was rewritten and the synchronisation shall pause then.
pub(super) fn check_history(
    app: &App,
    sync: &GitSync,
    place: (OrganizationId, &CancellationToken),
    tip: Option<&str>,
) -> Result<(), JobFailure> {
    let is_checked = sync.settings.rewritten_history == RewrittenHistory::Pause;
    let known = sync.tip.as_deref().filter(|known| is_checked && tip != Some(*known));
    let Some(known) = known else { return Ok(()) };
    let with = |request: &FetchRequest<'_>| app.fetcher.descends_from(request, known);
    if fetching(app, sync, place, Some(known), with)? {
        return Ok(());
    }
    let short = known.get(..12).unwrap_or(known);
    Err(JobFailure::fatal(
        schedule::REWRITTEN,
        format!(
            "the branch does not contain the commit {short} any more; resume the \
             synchronisation to import the new history"
        ),
    ))
}

/// Records the failure of a run.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) fn close(
    tx: &Tx<'_>,
    record: &GitSyncRun,
    error: &JobError,
    head: Option<RevisionId>,
    tip: Option<String>,
) -> Result<(), StoreError> {
    let mut record = record.clone();
    record.state = match error.code.as_str() {
        schedule::CONFLICT => GitSyncRunState::Conflict,
        _ => GitSyncRunState::Failed,
    };
    (record.revision_after, record.commit_after) = (head, tip);
    record.finished_at = Some(tx.now());
    record.error_code = Some(error.code.clone());
    record.message = Some(error.message.clone());
    git_sync_runs::update(tx, &record)
}

/// Returns the present state of a synchronisation, if it is still with the same branch.
pub(super) fn current(tx: &Tx<'_>, before: &GitSync) -> Result<Option<GitSync>, StoreError> {
    let place = |sync: &GitSync| {
        let settings = sync.settings.clone();
        (sync.id, settings.url, settings.reference, settings.directory)
    };
    let sync = git_syncs::get(tx, before.space)?;
    Ok(sync.filter(|sync| place(sync) == place(before)))
}

/// Returns the commit at the branch of a synchronisation; `None` if there is no such branch.
pub(super) fn find_tip(
    app: &App,
    sync: &GitSync,
    (organization, cancel): (OrganizationId, &CancellationToken),
) -> Result<Option<String>, JobFailure> {
    fetching(app, sync, (organization, cancel), None, |request| app.fetcher.tip(request))
}

/// Calls `with` with a request for the branch of a synchronisation.
fn fetching<T>(
    app: &App,
    sync: &GitSync,
    (organization, cancel): (OrganizationId, &CancellationToken),
    known: Option<&str>,
    with: impl FnOnce(&FetchRequest<'_>) -> Result<T, GitError>,
) -> Result<T, JobFailure> {
    let payload = GitRequestPayload::of_sync(sync);
    let remote = payload.remote(app, organization)?;
    let reference = RefName::parse(&payload.reference)
        .map_err(|_| JobFailure::fatal("internal", UNREADABLE))?;
    with(&FetchRequest {
        organization,
        remote: &remote,
        cache: payload.cache.as_deref(),
        reference: &reference,
        known: known.or(Some("")),
        cancel: cancel.clone(),
        progress: &|_| {},
    })
    .map_err(imports::git_failure)
}

/// Returns the message of a run that succeeded.
fn result_message(record: &GitSyncRun, has_exported: bool) -> &'static str {
    let has_imported = record.revision_before != record.revision_after;
    match (has_imported, has_exported) {
        (false, false) => NOTHING,
        (true, false) => IMPORTED,
        (false, true) => EXPORTED,
        (true, true) => BOTH,
    }
}

fn branch_is_gone(reference: &str) -> JobFailure {
    JobFailure::fatal("ref-not-found", format!("the repository has no branch {reference} any more"))
}
