//! `getGitSync`, `setGitSync`, `deleteGitSync`, `pauseGitSync`, `resumeGitSync`, `runGitSync`,
//! `startGitSyncDryRun`, `getGitSyncDryRun`, `listGitSyncRuns`, `listGitSyncBranches`: the
//! synchronisation of a space with a branch.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::git_branches;
use bindery_app::content::git_sync::{
    self, ChangeRequestSync, ChangedSync, GitSyncChange, GivenCredentials,
};
use bindery_app::content::spaces::Space;
use bindery_model::{Error, FieldPath, GitSyncDirection, Result, RewrittenHistory};
use bindery_wire::request::{SetGitSync, SetGitSyncChangeRequests, SetGitSyncCredentials};
use bindery_wire::values::GitSyncCredentialsKind;

use crate::call::Call;
use crate::closed_sets::{
    change_request_export_of, git_direction_of, git_start_of, hosting_service_of,
    rewritten_history_of,
};
use crate::lists::Page;
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

/// Seconds between two checks of the branch, unless others are set.
const POLLING_SECONDS: u64 = 300;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("getGitSync", Action::ViewGitSync, get),
        write("setGitSync", Action::ManageGitSync, set),
        write("deleteGitSync", Action::ManageGitSync, delete),
        write("pauseGitSync", Action::RunGitSync, pause),
        write("resumeGitSync", Action::RunGitSync, resume),
        write("runGitSync", Action::RunGitSync, run).expensive(),
        write("startGitSyncDryRun", Action::RunGitSync, start_dry_run).expensive(),
        read("getGitSyncDryRun", Action::ViewGitSync, get_dry_run),
        read("listGitSyncRuns", Action::ViewGitSync, list_runs),
        read("listGitSyncBranches", Action::ViewGitSync, list_branches),
    ]
}

fn get(cx: &Context<'_>, space: &Authorized<Space>, _: &Call) -> Result<Reply> {
    let (sync, last_run) = git_sync::get(cx, space)?;
    Reply::json(200, &present::git_sync(cx.app, sync, last_run, None))
}

fn set(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let SetGitSync {
        url,
        r#ref: reference,
        project_directory,
        direction,
        initial_direction,
        credentials,
        polling_interval,
        commit_message,
        rewritten_history,
        rotate_webhook_secret,
        sign_commits,
        change_requests,
    } = call.body()?;
    let change = GitSyncChange {
        url,
        reference,
        directory: project_directory.unwrap_or_default(),
        direction: direction.map_or(GitSyncDirection::Both, git_direction_of),
        initial_direction: initial_direction.map(git_start_of),
        credentials: credentials.map(given_credentials).transpose()?,
        polling_seconds: polling_interval.unwrap_or(POLLING_SECONDS),
        commit_message,
        rewritten_history: rewritten_history.map_or(RewrittenHistory::Merge, rewritten_history_of),
        rotates_secret: rotate_webhook_secret.unwrap_or_default(),
        signs_commits: sign_commits,
        change_requests: change_requests.map(change_requests_of).unwrap_or_default(),
    };
    let ChangedSync { sync, secret } = git_sync::put(cx, space, &change)?;
    let is_secret = secret.is_some();
    let reply = Reply::json(200, &present::git_sync(cx.app, sync, None, secret))?;
    Ok(if is_secret {
        let hint = "set `rotateWebhookSecret` to get a new secret".to_owned();
        reply.with_secret(hint)
    } else {
        reply
    })
}

fn change_requests_of(given: SetGitSyncChangeRequests) -> ChangeRequestSync {
    let SetGitSyncChangeRequests { import, export, branch_prefix, service, api_url } = given;
    ChangeRequestSync {
        import: import.unwrap_or_default(),
        export: export.map(change_request_export_of),
        branch_prefix,
        service: service.map(hosting_service_of),
        api_url,
    }
}

fn list_branches(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let after = page.after().unwrap_or_default();
    let (branches, count) = git_branches::list(cx, space, after, page.rows())?;
    let list = page.list(
        branches,
        count,
        |(branch, _)| branch.reference.clone(),
        |(branch, preview)| Ok(present::git_sync_branch(branch, preview)),
    )?;
    Reply::json(200, &list)
}

/// Returns the credentials of a request.
///
/// # Errors
/// Returns 400 if a value that the kind needs is absent, or one is present that it does not have.
fn given_credentials(given: SetGitSyncCredentials) -> Result<GivenCredentials> {
    let SetGitSyncCredentials { kind, token, username, password, private_key, host_keys } = given;
    let missing = |field: &'static str| {
        Error::invalid(format!("found nothing, required for the kind \"{}\"", kind.as_str()))
            .at(FieldPath::new(field))
    };
    let surplus = |field: &'static str| {
        Error::invalid(format!("not allowed for the kind \"{}\"", kind.as_str()))
            .at(FieldPath::new(field))
    };
    let takes_token = matches!(kind, GitSyncCredentialsKind::Token);
    let takes_basic = matches!(kind, GitSyncCredentialsKind::Basic);
    let takes_key = matches!(kind, GitSyncCredentialsKind::Ssh);
    for (field, is_surplus) in [
        ("/credentials/token", token.is_some() && !takes_token),
        ("/credentials/username", username.is_some() && !takes_basic),
        ("/credentials/password", password.is_some() && !takes_basic),
        ("/credentials/privateKey", private_key.is_some() && !takes_key),
        ("/credentials/hostKeys", host_keys.is_some() && !takes_key),
    ] {
        if is_surplus {
            return Err(surplus(field));
        }
    }
    Ok(match kind {
        GitSyncCredentialsKind::None => GivenCredentials::None,
        GitSyncCredentialsKind::Ssh => GivenCredentials::Ssh { private_key, host_keys },
        GitSyncCredentialsKind::Token => {
            GivenCredentials::Token(token.ok_or_else(|| missing("/credentials/token"))?)
        }
        GitSyncCredentialsKind::Basic => GivenCredentials::Basic(
            username.ok_or_else(|| missing("/credentials/username"))?,
            password.ok_or_else(|| missing("/credentials/password"))?,
        ),
    })
}

/// Ends the synchronisation of a space, for both operations that do it.
pub(in crate::groups) fn delete(
    cx: &Context<'_>,
    space: &Authorized<Space>,
    _: &Call,
) -> Result<Reply> {
    let is_deleted = git_sync::delete(cx, space)?;
    Ok(Reply::empty(if is_deleted { 205 } else { 204 }))
}

fn pause(cx: &Context<'_>, space: &Authorized<Space>, _: &Call) -> Result<Reply> {
    let sync = git_sync::pause(cx, space)?;
    Reply::json(200, &present::git_sync(cx.app, sync, None, None))
}

fn resume(cx: &Context<'_>, space: &Authorized<Space>, _: &Call) -> Result<Reply> {
    let sync = git_sync::resume(cx, space)?;
    Reply::json(200, &present::git_sync(cx.app, sync, None, None))
}

fn run(cx: &Context<'_>, space: &Authorized<Space>, _: &Call) -> Result<Reply> {
    let job = git_sync::start(cx, space)?;
    let location = cx.app.urls.api(format_args!("/bindery/jobs/{job}"));
    Ok(Reply::empty(204).with_location(location))
}

fn start_dry_run(cx: &Context<'_>, space: &Authorized<Space>, _: &Call) -> Result<Reply> {
    let job = git_sync::start_dry_run(cx, space)?;
    let location = cx.app.urls.api(format_args!("/bindery/jobs/{job}"));
    Ok(Reply::empty(204).with_location(location))
}

fn get_dry_run(cx: &Context<'_>, space: &Authorized<Space>, _: &Call) -> Result<Reply> {
    Reply::json(200, &present::git_sync_dry_run(git_sync::get_dry_run(cx, space)?))
}

fn list_runs(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let before = page.after().and_then(|number| number.parse().ok());
    let (runs, count) = git_sync::list_runs(cx, space, before, page.rows())?;
    let list =
        page.list(runs, count, |run| run.number.to_string(), |run| Ok(present::git_sync_run(run)))?;
    Reply::json(200, &list)
}
