//! The installations of Git hosting services on spaces and sites.

use bindery_model::{
    GitInstallationId, GitInstallationStatus, GitProvider, GitSyncStart, SiteId, SpaceId,
    Timestamp, UserId,
};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx, git_syncs};

record! {
    /// An installation of a Git hosting service.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct GitInstallation in git_installations as i, insert {
        /// Its id.
        pub id: GitInstallationId,
        /// The installation of the site that it belongs to.
        pub parent: Option<GitInstallationId>,
        /// The space that it synchronises; `None` if its target is a site.
        pub space: Option<SpaceId>,
        /// The site that it synchronises, or to which its space belongs.
        pub site: Option<SiteId>,
        /// The hosting service.
        pub provider: GitProvider,
        /// The state.
        pub status: GitInstallationStatus,
        /// The project's directory in the repository; empty for the root.
        pub directory: String,
        /// The template of the messages of commits.
        pub commit_message: Option<String>,
        /// The setting for previews of other branches.
        pub preview_branches: Option<bool>,
        /// The setting for instructions to agents.
        pub agents_instructions: bool,
        /// The setting for instructions to Claude.
        pub claude_instructions: bool,
        /// The direction of the first run.
        pub priority: GitSyncStart,
        /// The address of the GitLab server; `None` for gitlab.com.
        pub instance: Option<String>,
        /// The access token of GitLab, sealed.
        pub token: Option<String>,
        /// The number of the repository at the service.
        pub repository: Option<i64>,
        /// The full name of the branch; `None` for the default branch.
        pub branch: Option<String>,
        /// The name of the repository with that of its owner.
        pub repository_name: Option<String>,
        /// The address at which people see the repository.
        pub repository_url: Option<String>,
        /// The address from which the repository is fetched.
        pub clone_url: Option<String>,
        /// The name of the default branch.
        pub default_branch: Option<String>,
        /// The person who created it.
        pub created_by: UserId,
        /// Time of creation.
        pub created_at: Timestamp,
        /// Time of the last change.
        pub updated_at: Timestamp,
    }
}

/// Stores an installation. Replaces the one with the same id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(tx: &Tx<'_>, installation: &GitInstallation) -> Result<(), StoreError> {
    tx.execute("DELETE FROM git_installations WHERE id = $1", &[installation.id.into()])?;
    tx.execute(insert!(GitInstallation), &installation.values())?;
    Ok(())
}

/// Returns the installation with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, id: GitInstallationId) -> Result<Option<GitInstallation>, StoreError> {
    tx.query_opt(
        sql!(GitInstallation::SELECT, " WHERE i.id = $1"),
        &[id.into()],
        GitInstallation::from_row,
    )
}

/// Returns the installation that synchronises a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_space(tx: &Tx<'_>, space: SpaceId) -> Result<Option<GitInstallation>, StoreError> {
    tx.query_opt(
        sql!(GitInstallation::SELECT, " WHERE i.space = $1"),
        &[space.into()],
        GitInstallation::from_row,
    )
}

/// Returns the installation whose target is a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_site(tx: &Tx<'_>, site: SiteId) -> Result<Option<GitInstallation>, StoreError> {
    tx.query_opt(
        sql!(GitInstallation::SELECT, " WHERE i.site = $1 AND i.space IS NULL"),
        &[site.into()],
        GitInstallation::from_row,
    )
}

/// Returns the installations of the spaces of a site's installation, oldest first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_children(
    tx: &Tx<'_>,
    parent: GitInstallationId,
) -> Result<Vec<GitInstallation>, StoreError> {
    tx.query(
        sql!(GitInstallation::SELECT, " WHERE i.parent = $1 ORDER BY i.created_at, i.id"),
        &[parent.into()],
        GitInstallation::from_row,
    )
}

/// Returns the installations on spaces that use a repository of a hosting service, oldest first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_by_repository(
    tx: &Tx<'_>,
    provider: GitProvider,
    repository: i64,
) -> Result<Vec<GitInstallation>, StoreError> {
    tx.query(
        sql!(
            GitInstallation::SELECT,
            " WHERE i.repository = $1 AND i.provider = $2 AND i.space IS NOT NULL \
             ORDER BY i.created_at, i.id"
        ),
        &[repository.into(), provider.into()],
        GitInstallation::from_row,
    )
}

/// Returns the installation of a site, and those of the spaces on it, oldest first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_on_site(tx: &Tx<'_>, site: SiteId) -> Result<Vec<GitInstallation>, StoreError> {
    tx.query(
        sql!(
            GitInstallation::SELECT,
            " WHERE (i.space IS NULL AND i.site = $1) OR i.space IN (SELECT p.space FROM \
             site_spaces p WHERE p.site = $1) ORDER BY i.created_at, i.id"
        ),
        &[site.into()],
        GitInstallation::from_row,
    )
}

/// Deletes an installation with the synchronisation of its space. Those of the spaces of a site
/// stay.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, installation: &GitInstallation) -> Result<(), StoreError> {
    if let Some(space) = installation.space {
        git_syncs::delete(tx, space)?;
    }
    tx.execute("DELETE FROM git_installations WHERE id = $1", &[installation.id.into()])?;
    Ok(())
}

/// Deletes the installation of a site and those of its spaces, with their synchronisations.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_of_site(tx: &Tx<'_>, site: SiteId) -> Result<(), StoreError> {
    if let Some(parent) = get_by_site(tx, site)? {
        for child in list_children(tx, parent.id)? {
            delete(tx, &child)?;
        }
        delete(tx, &parent)?;
    }
    // Installations of single spaces stay, without the site.
    tx.execute("UPDATE git_installations SET site = NULL WHERE site = $1", &[site.into()])?;
    Ok(())
}
