//! `importGitRepository`: starts a job that imports a repository into a space.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::git_requests::GitRequest;
use bindery_app::content::imports::{self, GitImport};
use bindery_app::content::spaces::Space;
use bindery_model::Result;
use bindery_wire::Patch;
use bindery_wire::request::ImportGitRepository;

use super::provider;
use crate::call::Call;
use crate::languages::language_change;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("importGitRepository", Action::ImportContent, run).expensive()
}

fn run(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let ImportGitRepository {
        url,
        r#ref: reference,
        repo_cache_id: cache,
        repo_tree_url: tree_url,
        repo_commit_url: commit_url,
        repo_project_directory,
        timestamp: event_at,
        force,
        standalone,
        git_info,
        language,
    } = call.body()?;
    let request = GitRequest {
        url,
        reference,
        directory: repo_project_directory.unwrap_or_default(),
        cache,
        tree_url,
        commit_url,
        event_at,
        provider: provider(git_info),
    };
    let import = GitImport {
        request,
        force: force.unwrap_or_default(),
        standalone: standalone.unwrap_or_default(),
        language: language_change(language, Patch::Absent)?.flatten(),
    };
    let job = imports::start_git(cx, space, &import)?;
    let location = cx.app.urls.api(format_args!("/bindery/jobs/{job}"));
    Ok(Reply::empty(204).with_location(location))
}
