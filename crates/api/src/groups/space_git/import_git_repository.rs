//! `importGitRepository`: a job that brings a repository into a space.

use bindery_app::Cx;
use bindery_app::access::{Action, Authorized};
use bindery_app::imports::{self, GitImport};
use bindery_model::Result;
use bindery_store::spaces::Space;
use bindery_wire::request::ImportGitRepository;

use crate::call::Call;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("importGitRepository", Action::ImportContent, run).heavy()
}

fn run(cx: &Cx<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    // The fields left out come with Git synchronisation.
    let ImportGitRepository {
        url,
        r#ref: reference,
        repo_cache_id: _,
        repo_tree_url,
        repo_commit_url,
        repo_project_directory,
        timestamp: _,
        force: _,
        standalone: _,
        git_info: _,
    } = call.body()?;
    let import = GitImport {
        url,
        reference,
        directory: repo_project_directory.unwrap_or_default(),
        tree_url: repo_tree_url,
        commit_url: repo_commit_url,
    };
    let job = imports::start_git(cx, space, &import)?;
    let location = cx.app.urls.api(format_args!("/bindery/jobs/{job}"));
    Ok(Reply::empty(204).at(location))
}
