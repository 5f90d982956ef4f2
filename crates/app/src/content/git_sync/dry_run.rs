//! Dry runs: they find out what a run would change on both sides, and change nothing.

use bindery_git::export::{FileChange as ExportedFile, LineCounts};
use bindery_model::{
    Error, GitSyncChangeKind, GitSyncDirection, JobId, JobKind, PageId, Result, RevisionId,
    SpaceId, Timestamp,
};
use bindery_revision::tree::Tree;
use bindery_revision::{Content, Objects};
use bindery_store::git_sync_dry_runs::{self, GitSyncDryRun};
use bindery_store::git_syncs::{self, GitSync};
use bindery_store::spaces::{self, Space};
use bindery_store::{Job, JobFilter, JobStatus, NewJob, StoreError};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use super::job::{self, Steps};
use super::settings::existing;
use crate::access::Authorized;
use crate::content::differences::{Difference, Pair, Thing};
use crate::content::exports::{self, ExportPayload, Imported};
use crate::content::git_requests::{GitRequestPayload, UNREADABLE};
use crate::content::imports::{self, BothChanged, GitPayload, ImportPreview};
use crate::content::snapshot::broken_tree;
use crate::jobs::{self, BackgroundJob, JobFailure, RunningJob};
use crate::{App, Context};

/// Maximum number of attempts of a dry run that fails for a temporary reason.
const ATTEMPTS: u32 = 2;
/// Maximum number of items in each list of a result. Further ones are only counted.
const LISTED: usize = 1_000;
/// The message of the commit that a dry run does not write.
const MESSAGE: &str = "Dry run";

const DONE: &str = "the changes of a run were found out";
const ENDED: &str = "nothing to do: the synchronisation was ended";

/// The job that finds out what a run would change.
pub(crate) struct GitSyncDryRunJob;

/// The payload of a dry run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DryRunPayload {}

/// A dry run that has ended.
#[derive(Clone, Debug)]
pub struct DryRun {
    /// The job.
    pub job: JobId,
    /// Time of the end.
    pub finished_at: Timestamp,
    /// The commit at the branch; `None` if there is no such branch.
    pub commit: Option<String>,
    /// The head of the space.
    pub revision: RevisionId,
    /// The changes that a run would make.
    pub changes: DryRunChanges,
}

/// The changes that a run would make.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DryRunChanges {
    /// The files of the repository that an export would change.
    pub repository: Listed<FileChange>,
    /// The pages and files of the space that an import would change.
    pub space: Listed<SpaceChange>,
    /// The things that both sides changed in different ways.
    pub conflicts: Listed<SyncConflict>,
}

/// The first items of a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Listed<T> {
    /// The number of all items.
    pub count: u64,
    /// At most 1,000 items.
    pub items: Vec<T>,
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self { count: 0, items: Vec::new() }
    }
}

impl<T> Listed<T> {
    /// Returns the first items, and the number of all with `more` that are not here.
    fn of(mut items: Vec<T>, more: u64) -> Self {
        let count = items.len() as u64 + more;
        items.truncate(LISTED);
        Self { count, items }
    }
}

/// A change of a file of the repository.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileChange {
    /// The path from the root of the repository.
    pub path: String,
    /// The former path of a renamed file.
    pub previous: Option<String>,
    /// The kind of the change.
    #[serde(with = "kind")]
    pub kind: GitSyncChangeKind,
    /// The numbers of added and removed lines of a text.
    pub lines: Option<(usize, usize)>,
}

impl From<ExportedFile> for FileChange {
    fn from(change: ExportedFile) -> Self {
        let ExportedFile { path, previous, kind, lines } = change;
        let lines = lines.map(|LineCounts { added, removed }| (added, removed));
        Self { path, previous, kind, lines }
    }
}

/// A change of a page or a file of the space.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SpaceChange {
    /// The page; `None` for a file, and for a page that would be created.
    pub page: Option<PageId>,
    /// The title or the name.
    pub title: String,
    /// The path of a page, or that of a file in the repository.
    pub path: Option<String>,
    /// The kind of the change.
    #[serde(with = "kind")]
    pub kind: GitSyncChangeKind,
}

/// A thing that both sides changed in different ways.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SyncConflict {
    /// The page, if it is one.
    pub page: Option<PageId>,
    /// The title or the name, if it is no file of the repository.
    pub title: Option<String>,
    /// The path of a page, or that of a file in the repository.
    pub path: Option<String>,
    /// The reason, as the end of a sentence about the thing.
    pub reason: String,
}

impl From<BothChanged> for SyncConflict {
    fn from(conflict: BothChanged) -> Self {
        let BothChanged { page, title, path, reason } = conflict;
        Self { page, title: Some(title), path, reason: reason.to_owned() }
    }
}

/// Writes the kind of a change by its name.
mod kind {
    use bindery_model::GitSyncChangeKind;
    use serde::{Deserialize as _, Deserializer, Serializer, de};

    pub(super) fn serialize<S: Serializer>(
        kind: &GitSyncChangeKind,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(kind.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<GitSyncChangeKind, D::Error> {
        let name = String::deserialize(from)?;
        GitSyncChangeKind::parse(&name).ok_or_else(|| de::Error::custom("an unknown change"))
    }
}

/// Starts a dry run, also of a paused synchronisation. Returns the job, which is a waiting one if
/// there is one.
///
/// # Errors
/// Returns 404 if the space is not synchronised.
pub fn start(cx: &Context<'_>, space: &Authorized<Space>) -> Result<JobId> {
    existing(cx, space)?;
    let waiting = JobFilter {
        space: Some(space.id),
        kind: Some(JobKind::GitSyncDryRun),
        status: Some(JobStatus::Queued),
        ..JobFilter::default()
    };
    if let Some(job) = cx.tx.list_jobs(&waiting, 1)?.first() {
        return Ok(job.id);
    }
    let job = cx.tx.enqueue(&NewJob {
        organization: Some(space.organization),
        space: Some(space.id),
        actor: cx.user(),
        ..jobs::new_job::<GitSyncDryRunJob>(&DryRunPayload {})?
    })?;
    Ok(job)
}

/// Returns the last dry run of a space.
///
/// # Errors
/// Returns 404 if the space is not synchronised, or no dry run has ended.
pub fn get(cx: &Context<'_>, space: &Authorized<Space>) -> Result<DryRun> {
    existing(cx, space)?;
    let found = git_sync_dry_runs::get(cx.tx, space.id)?
        .ok_or_else(|| Error::not_found("dry run of this synchronisation"))?;
    let GitSyncDryRun { space: _, job, finished_at, commit, revision, result } = found;
    let changes = serde_json::from_str(&result)
        .map_err(|error| Error::internal(format!("the result of a dry run: {error}")))?;
    Ok(DryRun { job, finished_at, commit, revision, changes })
}

impl BackgroundJob for GitSyncDryRunJob {
    const KIND: JobKind = JobKind::GitSyncDryRun;
    const MAX_ATTEMPTS: u32 = ATTEMPTS;
    const PAYLOAD_ERROR: &str = UNREADABLE;
    type Payload = DryRunPayload;

    fn run(
        app: &App,
        job: &Job,
        _: DryRunPayload,
        running: &RunningJob,
    ) -> std::result::Result<(), JobFailure> {
        let space = job.space.ok_or_else(|| JobFailure::fatal("internal", UNREADABLE))?;
        let found = app.store.read_sync(|tx| {
            let head = spaces::get(tx, space)?.filter(|space| space.deleted_at.is_none());
            Ok::<_, StoreError>(git_syncs::get(tx, space)?.zip(head))
        })?;
        let Some((sync, head)) = found else { return end(app, space, running, None) };
        let request = GitRequestPayload::of_sync(&sync);
        let attempt = Attempt { app, job, running, sync, request };
        let (commit, changes) = attempt.run()?;
        let result = serde_json::to_string(&changes)
            .map_err(|error| JobFailure::internal(Error::internal(error.to_string())))?;
        let run = GitSyncDryRun {
            space,
            job: job.id,
            finished_at: app.clock.now(),
            commit,
            revision: head.head,
            result,
        };
        end(app, space, running, Some((attempt.sync, run)))
    }
}

/// Stores a result and ends the job. A result for another branch than the present one is not
/// stored.
fn end(
    app: &App,
    space: SpaceId,
    running: &RunningJob,
    run: Option<(GitSync, GitSyncDryRun)>,
) -> std::result::Result<(), JobFailure> {
    let lease = running.lease.clone();
    let ended = app.store.write(move |tx| {
        let mut message = ENDED;
        if let Some((before, run)) = &run
            && job::current(tx, before)?.is_some()
            && spaces::get(tx, space)?.is_some()
        {
            git_sync_dry_runs::set(tx, run)?;
            message = DONE;
        }
        tx.set_job_message(&lease, message)?;
        tx.finish_job(&lease, None)?;
        Ok::<_, StoreError>(())
    });
    Ok(Handle::current().block_on(ended)?)
}

/// An attempt of a dry run.
struct Attempt<'a> {
    app: &'a App,
    job: &'a Job,
    running: &'a RunningJob,
    sync: GitSync,
    request: GitRequestPayload,
}

impl Attempt<'_> {
    /// Returns the commit at the branch and the changes that a run would make.
    fn run(&self) -> std::result::Result<(Option<String>, DryRunChanges), JobFailure> {
        let Self { app, job, running, sync, request } = self;
        running.report(0, None, "connecting");
        let organization =
            job.organization.ok_or_else(|| JobFailure::fatal("internal", UNREADABLE))?;
        let place = (organization, &running.cancel);
        let tip = job::find_tip(app, sync, place)?;
        let standing = job::standing(app, sync.space, request)?;
        let is_first = !sync.has_run && standing.shared.is_none();
        let steps = Steps::of(sync, &standing, tip.as_deref(), is_first)?;
        let imported = if steps.imports {
            job::check_history(app, sync, place, tip.as_deref())?;
            let payload = GitPayload::of_sync(request.clone(), is_first);
            Some(imports::preview(app, job, &payload, running)?)
        } else {
            None
        };
        let mut changes = DryRunChanges::default();
        if let Some(imported) = &imported {
            let listed = space_changes(imported, &app.store.objects());
            changes.space = listed.map_err(JobFailure::internal)?;
            let conflicts = imported.conflicts.iter().cloned().map(SyncConflict::from).collect();
            changes.conflicts = Listed::of(conflicts, 0);
        }
        // A content that replaced the former one has nothing to export.
        let is_replaced = is_first && imported.is_some();
        let is_needed = steps.begins_with_export || (!standing.is_unchanged && !is_replaced);
        if is_needed && sync.settings.direction != GitSyncDirection::Import {
            self.export(steps.begins_with_export, imported.as_ref(), &mut changes)?;
        }
        let tip = imported.map(|imported| imported.oid).or(tip);
        Ok((tip, changes))
    }

    /// Adds the changes of an export. After an import without conflicts, those of the merged
    /// content; otherwise those of the space.
    fn export(
        &self,
        force: bool,
        imported: Option<&ImportPreview>,
        changes: &mut DryRunChanges,
    ) -> std::result::Result<(), JobFailure> {
        let Self { app, job, running, request, .. } = self;
        let payload =
            ExportPayload::of_sync(request.clone(), MESSAGE.to_owned(), force, None, Vec::new());
        let merged = imported.filter(|imported| imported.conflicts.is_empty());
        let merged = merged.and_then(|imported| {
            let content = imported.after.as_ref()?;
            let (repository, state) = (&imported.imported.content, &imported.imported.state);
            Some(Imported { content, repository, state })
        });
        let preview = exports::preview(app, job, &payload, running, merged.as_ref(), LISTED)?;
        let more = preview.count.saturating_sub(preview.changes.len()) as u64;
        let files = preview.changes.into_iter().map(FileChange::from).collect();
        changes.repository = Listed::of(files, more);
        // The import has found the things that both sides changed already.
        if changes.conflicts.count == 0 {
            let conflict = |conflict: bindery_git::export::Conflict| SyncConflict {
                page: None,
                title: None,
                path: Some(conflict.path),
                reason: conflict.reason.to_owned(),
            };
            changes.conflicts =
                Listed::of(preview.conflicts.into_iter().map(conflict).collect(), 0);
        }
        Ok(())
    }
}

/// Returns the pages and files that an import would change.
fn space_changes(imported: &ImportPreview, objects: &dyn Objects) -> Result<Listed<SpaceChange>> {
    let (differences, more) = &imported.differences;
    let before = &imported.before.content;
    let after = imported.after.as_ref().unwrap_or(before);
    let shown = differences.iter().map(|Difference { thing, .. }| match thing {
        Thing::Page(pair, is_moved) => page_change(pair, *is_moved, [before, after], objects),
        Thing::File(Pair { before, after }) => {
            let file = after.as_ref().or(before.as_ref());
            let kind = kind_of(before.is_some(), after.is_some());
            Ok(file.map(|file| (None, file.name.clone(), file.path.clone(), kind)))
        }
        Thing::Reusable(Pair { before, after }) => {
            let text = after.as_ref().or(before.as_ref());
            let kind = kind_of(before.is_some(), after.is_some());
            Ok(text.map(|text| (None, text.title.clone(), text.path.clone(), kind)))
        }
        Thing::Variable(name, Pair { before, after }) => {
            let kind = kind_of(before.is_some(), after.is_some());
            Ok(Some((None, format!("the variable {name}"), None, kind)))
        }
    });
    let shown: Vec<_> = shown.filter_map(Result::transpose).collect::<Result<_>>()?;
    let change = |(page, title, path, kind)| SpaceChange { page, title, path, kind };
    Ok(Listed::of(shown.into_iter().map(change).collect(), *more))
}

/// The page, the title, the path and the kind of a change.
type Shown = (Option<PageId>, String, Option<String>, GitSyncChangeKind);

fn page_change(
    pair: &Pair<bindery_revision::PageRecord>,
    is_moved: bool,
    [old, new]: [&Content; 2],
    objects: &dyn Objects,
) -> Result<Option<Shown>> {
    let (content, page) = match (&pair.before, &pair.after) {
        (_, Some(page)) => (new, page),
        (Some(page), None) => (old, page),
        (None, None) => return Ok(None),
    };
    let path = Tree::new(content, objects).path(page.id).map_err(broken_tree)?;
    let kind = match kind_of(pair.before.is_some(), pair.after.is_some()) {
        GitSyncChangeKind::Modified if is_moved => GitSyncChangeKind::Moved,
        kind => kind,
    };
    // A run would create the page with another id.
    let id = pair.before.is_some().then_some(page.id);
    Ok(Some((id, page.title.clone(), Some(path), kind)))
}

const fn kind_of(is_before: bool, is_after: bool) -> GitSyncChangeKind {
    match (is_before, is_after) {
        (false, _) => GitSyncChangeKind::Added,
        (true, false) => GitSyncChangeKind::Removed,
        (true, true) => GitSyncChangeKind::Modified,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut_and_counted() {
        let whole = Listed::of((0..LISTED).collect(), 0);
        assert_eq!((whole.count, whole.items.len()), (1_000, 1_000));
        let cut = Listed::of((0..LISTED + 5).collect(), 7);
        assert_eq!((cut.count, cut.items.last()), (1_012, Some(&(LISTED - 1))));
    }
}
