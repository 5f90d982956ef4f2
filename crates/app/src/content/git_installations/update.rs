//! The part of a change of an installation that runs in the transaction.

use bindery_model::{
    Error, GitInstallationStatus, GitProvider, GitSyncPause, GitSyncStatus, Result,
};
use bindery_store::git_syncs;
use bindery_store::{Event, git_installations};

use super::connect::{Connection, connect_site, connect_space};
use super::install::{GitInstallationTarget, GitInstallationView, record};
use super::prepare::{Installations, PreparedChange};
use super::service::Lookup;
use super::webhook;
use crate::Context;
use crate::access::Authorized;

/// The result of a change.
#[derive(Clone, Debug)]
pub enum Updated {
    /// The installation after the change.
    Done(Box<GitInstallationView>),
    /// Nothing was changed, because the folder of a space in the repository is not known.
    Missing(MissingConfiguration),
}

/// A space of a site without a folder in the repository of the site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingConfiguration {
    /// The configuration file that the space would have in its default folder.
    pub path: String,
    /// The full name of the branch.
    pub branch: String,
    /// The ids of all spaces without a folder.
    pub spaces: Vec<String>,
}

/// Changes an installation, and sets up the synchronisation with its repository.
///
/// # Errors
/// Returns 400 for an invalid value; 403 or 404 if the caller may not manage the synchronisation of
/// one of the spaces; 503 if the installation changed since the repository was looked up.
pub fn update(
    cx: &Context<'_>,
    target: &Authorized<GitInstallationTarget>,
    prepared: &PreparedChange,
) -> Result<Updated> {
    let PreparedChange { before, next, token, lookup, child_directories } = prepared;
    if Installations::load(cx.tx, target.0.id)? != *before {
        return Err(Error::unavailable("the installation was changed at the same time; try again"));
    }
    let mut next = next.clone();
    next.updated_at = cx.tx.now();
    let owner = before.parent.as_ref().unwrap_or(&next).clone();
    if (&before.own.instance, before.own.repository) != (&next.instance, next.repository) {
        webhook::remove_all(cx.tx, &before.own, cx.user())?;
    }
    match lookup {
        Some(Lookup::Found(repository)) => {
            next.repository_name = Some(repository.name.clone());
            next.repository_url = Some(repository.url.clone());
            next.clone_url = Some(repository.clone_url.clone());
            next.default_branch.clone_from(&repository.default_branch);
            next.repository = owner.repository;
            next.instance.clone_from(&owner.instance);
            next.status = GitInstallationStatus::Active;
            let connection = Connection::new(&owner, repository, token.as_deref());
            if next.space.is_some() {
                connect_space(cx, &next, &connection)?;
            } else if let Some(missing) = connect_site(cx, &next, &connection, child_directories)? {
                return Ok(Updated::Missing(missing));
            }
        }
        Some(Lookup::Unauthenticated) => {
            next.status = GitInstallationStatus::Unauthenticated;
            next.token = None;
            pause(cx, &next)?;
        }
        None => {
            next.status = match (owner.provider, token) {
                (GitProvider::Gitlab, None) => GitInstallationStatus::Unauthenticated,
                _ => GitInstallationStatus::Pending,
            };
            pause(cx, &next)?;
        }
    }
    git_installations::set(cx.tx, &next)?;
    record(cx, &next, |installation| Event::GitInstallationUpdated { installation })?;
    Ok(Updated::Done(Box::new(GitInstallationView::load(cx.tx, next)?)))
}

/// Pauses the synchronisations of an installation whose repository cannot be reached any more.
fn pause(cx: &Context<'_>, installation: &git_installations::GitInstallation) -> Result<()> {
    let children = git_installations::list_children(cx.tx, installation.id)?;
    let spaces = children.iter().chain([installation]).filter_map(|one| one.space);
    for space in spaces {
        let Some(mut sync) = git_syncs::get(cx.tx, space)? else { continue };
        if sync.status != GitSyncStatus::Paused {
            sync.status = GitSyncStatus::Paused;
            sync.pause_reason = Some(GitSyncPause::Authentication);
            sync.next_at = None;
            git_syncs::set(cx.tx, &sync)?;
        }
    }
    for mut child in children {
        child.status = installation.status;
        child.updated_at = installation.updated_at;
        git_installations::set(cx.tx, &child)?;
    }
    Ok(())
}
