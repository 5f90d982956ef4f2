//! `exportToGitRepository`: starts a job that exports a space to a branch of a repository.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::exports::{self, GitExport};
use bindery_app::content::git_requests::GitRequest;
use bindery_app::content::spaces::Space;
use bindery_model::Result;
use bindery_wire::request::ExportToGitRepository;

use super::provider;
use crate::call::Call;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("exportToGitRepository", Action::ExportContent, run).expensive()
}

fn run(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let ExportToGitRepository {
        url,
        r#ref: reference,
        commit_message: message,
        repo_cache_id: cache,
        repo_tree_url: tree_url,
        repo_commit_url: commit_url,
        repo_project_directory,
        timestamp: event_at,
        force,
        git_info,
    } = call.body()?;
    let request = GitRequest {
        url,
        reference: Some(reference),
        directory: repo_project_directory.unwrap_or_default(),
        cache,
        tree_url,
        commit_url,
        event_at,
        provider: provider(git_info),
    };
    let export = GitExport { request, message, force: force.unwrap_or_default() };
    let job = exports::start(cx, space, &export)?;
    let location = cx.app.urls.api(format_args!("/bindery/jobs/{job}"));
    Ok(Reply::empty(204).with_location(location))
}
