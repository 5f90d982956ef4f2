//! The synchronisation of a space with a branch, and its runs.

use bindery_app::App;
use bindery_app::content::git_branches::GitBranch;
use bindery_app::content::git_sync::{
    DryRun, DryRunChanges, FileChange, GitSync, GitSyncRun, GitSyncSettings, Listed, SpaceChange,
    SyncConflict,
};
use bindery_app::jobs::JobError;
use bindery_wire::response;

use crate::closed_sets::{
    change_request_export, git_change, git_credentials_kind, git_direction, git_pause,
    git_run_state, git_start, git_status, git_trigger, hosting_service, rewritten_history,
};

/// Presents a synchronisation. `webhook_secret` is present only if it is new.
pub(crate) fn git_sync(
    app: &App,
    sync: GitSync,
    last_run: Option<GitSyncRun>,
    webhook_secret: Option<String>,
) -> response::GitSync {
    let GitSync {
        space: _,
        id,
        settings,
        has_run: _,
        tip,
        branches: _,
        importing: _,
        status,
        pause_reason,
        error,
        failures,
        auth_failures: _,
        checked_at,
        next_at,
        created_at,
        updated_at,
    } = sync;
    let GitSyncSettings {
        url,
        reference,
        directory,
        direction,
        initial_direction,
        credentials_kind,
        credentials: _,
        public_key,
        host_keys,
        signing_key: _,
        signing_public_key,
        polling_seconds,
        commit_message,
        rewritten_history: history,
        webhook_secret: _,
        branch_patterns,
        change_request_export: export,
        branch_prefix,
        hosting,
        hosting_api: api_url,
    } = settings;
    response::GitSync {
        id: id.to_string(),
        url,
        r#ref: reference,
        project_directory: directory,
        direction: git_direction(direction),
        initial_direction: git_start(initial_direction),
        credentials: response::GitSyncCredentials {
            kind: git_credentials_kind(credentials_kind),
            public_key,
            host_keys,
        },
        signing_key: signing_public_key,
        polling_interval: polling_seconds.into(),
        commit_message,
        rewritten_history: rewritten_history(history),
        change_requests: response::GitSyncChangeRequests {
            import: branch_patterns.lines().map(str::to_owned).collect(),
            export: change_request_export(export),
            branch_prefix,
            service: hosting.map(hosting_service),
            api_url,
        },
        webhook_url: app.urls.api(format_args!("/bindery/hooks/git/{id}")),
        webhook_secret,
        state: git_status(status),
        pause_reason: pause_reason.map(git_pause),
        error: error.map(|JobError { code, message }| response::GitSyncError { code, message }),
        failures: failures.into(),
        commit: tip,
        last_checked_at: checked_at,
        next_check_at: next_at,
        last_run: last_run.map(git_sync_run),
        created_at,
        updated_at,
    }
}

pub(crate) fn git_sync_branch(
    branch: GitBranch,
    preview_url: Option<String>,
) -> response::GitSyncBranch {
    let GitBranch {
        space: _,
        reference,
        change_request,
        oid,
        object: _,
        state: _,
        shared: _,
        created_here,
        documentation_only: _,
        base: _,
        pull_request,
        reported: _,
        error,
        updated_at,
    } = branch;
    response::GitSyncBranch {
        r#ref: reference,
        commit: Some(oid).filter(|oid| !oid.is_empty()),
        change_request: change_request.map(|id| id.to_string()),
        created_here,
        pull_request: pull_request.map(|found| response::GitSyncBranchPullRequest {
            number: found.number.unsigned_abs(),
            url: found.url,
        }),
        preview_url,
        error: error.map(|JobError { code, message }| response::GitSyncError { code, message }),
        updated_at,
    }
}

pub(crate) fn git_sync_run(run: GitSyncRun) -> response::GitSyncRun {
    let GitSyncRun {
        space: _,
        number,
        job,
        trigger,
        state,
        started_at,
        finished_at,
        commit_before,
        commit_after,
        revision_before,
        revision_after,
        error_code,
        message,
    } = run;
    response::GitSyncRun {
        number: number.unsigned_abs(),
        trigger: git_trigger(trigger),
        state: git_run_state(state),
        job: job.to_string(),
        started_at,
        finished_at,
        commit_before,
        commit_after,
        revision_before: revision_before.map(|id| id.to_string()),
        revision_after: revision_after.map(|id| id.to_string()),
        message,
        code: error_code,
    }
}

pub(crate) fn git_sync_dry_run(run: DryRun) -> response::GitSyncDryRun {
    let DryRun { job, finished_at, commit, revision, changes } = run;
    let DryRunChanges { repository, space, conflicts } = changes;
    let (repository_count, repository) = listed(repository, file_change);
    let (space_count, space) = listed(space, space_change);
    let (conflict_count, conflicts) = listed(conflicts, conflict);
    response::GitSyncDryRun {
        job: job.to_string(),
        finished_at,
        commit,
        revision: revision.to_string(),
        repository: response::GitSyncFileChanges { count: repository_count, items: repository },
        space: response::GitSyncSpaceChanges { count: space_count, items: space },
        conflicts: response::GitSyncConflicts { count: conflict_count, items: conflicts },
    }
}

/// Returns the number of all items of a list, and the presented first ones.
fn listed<T, P>(list: Listed<T>, present: impl FnMut(T) -> P) -> (u64, Vec<P>) {
    let Listed { count, items } = list;
    (count, items.into_iter().map(present).collect())
}

fn file_change(change: FileChange) -> response::GitSyncFileChange {
    let FileChange { path, previous, kind, lines } = change;
    response::GitSyncFileChange {
        path,
        previous_path: previous,
        change: git_change(kind),
        lines_added: lines.map(|(added, _)| added as u64),
        lines_removed: lines.map(|(_, removed)| removed as u64),
    }
}

fn space_change(change: SpaceChange) -> response::GitSyncSpaceChange {
    let SpaceChange { page, title, path, kind } = change;
    response::GitSyncSpaceChange {
        page: page.map(|page| page.to_string()),
        title,
        path,
        change: git_change(kind),
    }
}

fn conflict(conflict: SyncConflict) -> response::GitSyncConflict {
    let SyncConflict { page, title, path, reason } = conflict;
    response::GitSyncConflict { page: page.map(|page| page.to_string()), title, path, reason }
}
