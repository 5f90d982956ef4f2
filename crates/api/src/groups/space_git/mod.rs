//! Group `space-git`.

mod delete_legacy_git_installation;
mod export_to_git_repository;
mod get_space_git_info;
mod import_git_repository;

use bindery_app::content::git::Provider;
use bindery_model::GitProvider;
use bindery_wire::request::UpdateSpaceGitInfo;
use bindery_wire::values::UpdateSpaceGitInfoProvider;

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        delete_legacy_git_installation::operation(),
        export_to_git_repository::operation(),
        get_space_git_info::operation(),
        import_git_repository::operation(),
    ]
}

/// Returns the Git hosting service that a request names.
fn provider(info: Option<UpdateSpaceGitInfo>) -> Provider {
    info.map_or_else(Provider::default, |UpdateSpaceGitInfo { provider, url }| Provider {
        name: provider.map(|name| match name {
            UpdateSpaceGitInfoProvider::Github => GitProvider::Github,
            UpdateSpaceGitInfoProvider::Gitlab => GitProvider::Gitlab,
        }),
        url,
    })
}
