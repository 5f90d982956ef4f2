//! Group `git-installations`.

mod update_git_sync_installation_by_id;

use bindery_app::Context;
use bindery_app::access::{Action, Authorized, SignedIn};
use bindery_app::content::git_installations::{self, GitInstallationTarget, InstallationPlace};
use bindery_app::publishing::sites::SiteTarget;
use bindery_model::Result;
use bindery_wire::request::{GitSyncInstallationTarget, InstallGitSyncProviderOnTargetBody};
use bindery_wire::response::ListSiteGitSyncInstallationsResponse;

use crate::call::Call;
use crate::closed_sets::git_provider_of;
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        write("installGitSyncProviderOnTarget", Action::ActAsSelf, install)
            .additional_action(Action::ManageGitSync),
        read("getGitSyncInstallationById", Action::ViewGitSync, get),
        update_git_sync_installation_by_id::operation(),
        write("uninstallGitSyncInstallation", Action::ManageGitSync, uninstall),
        read("listSiteGitSyncInstallations", Action::ViewGitSync, list),
    ]
}

/// `installGitSyncProviderOnTarget`: installs a Git hosting service on a space or a site.
fn install(cx: &Context<'_>, _: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let InstallGitSyncProviderOnTargetBody { provider, target } = call.body()?;
    let place = match target {
        GitSyncInstallationTarget::Space(target) => {
            InstallationPlace::Space(target.space_id, target.site_id)
        }
        GitSyncInstallationTarget::Site(target) => InstallationPlace::Site(target.site_id),
    };
    let view = git_installations::install(cx, git_provider_of(provider), &place)?;
    let id = view.installation.id;
    let location = cx.app.urls.api(format_args!("/git/installations/{id}"));
    Ok(Reply::json(201, &present::git_installation(cx.app, view)?)?.with_location(location))
}

/// `getGitSyncInstallationById`: returns an installation.
fn get(cx: &Context<'_>, target: &Authorized<GitInstallationTarget>, _: &Call) -> Result<Reply> {
    let view = git_installations::get(cx, target)?;
    Reply::json(200, &present::git_installation(cx.app, view)?)
}

/// `uninstallGitSyncInstallation`: removes an installation.
fn uninstall(
    cx: &Context<'_>,
    target: &Authorized<GitInstallationTarget>,
    _: &Call,
) -> Result<Reply> {
    git_installations::uninstall(cx, target)?;
    Ok(Reply::empty(205))
}

/// `listSiteGitSyncInstallations`: lists the installations of a site and its spaces.
fn list(cx: &Context<'_>, site: &Authorized<SiteTarget>, _: &Call) -> Result<Reply> {
    let views = git_installations::list_on_site(cx, site)?;
    let items = views.into_iter().map(|view| present::git_installation(cx.app, view));
    let items = items.collect::<Result<Vec<_>>>()?;
    Reply::json(200, &ListSiteGitSyncInstallationsResponse { items })
}
