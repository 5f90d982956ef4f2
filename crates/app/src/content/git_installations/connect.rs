//! The synchronisations of an installation whose repository is known.

use std::collections::{BTreeMap, HashSet};

use bindery_model::{
    ChangeRequestExport, Error, FieldPath, GitInstallationId, GitInstallationStatus, GitProvider,
    GitSyncDirection, GitSyncPause, GitSyncStart, GitSyncStatus, Problem, Result, RewrittenHistory,
    SiteId, SpaceId,
};
use bindery_store::git_installations::{self, GitInstallation};
use bindery_store::git_syncs;
use bindery_store::site_spaces::{self, SiteSpace};
use bindery_store::{Event, Tx, spaces};

use super::install::{managed_space, record};
use super::prepare::checked_directory;
use super::service::HostedRepository;
use super::update::MissingConfiguration;
use super::{gitlab, webhook};
use crate::Context;
use crate::content::git_sync::{self, ChangeRequestSync, GitSyncChange, GivenCredentials};

/// Seconds between two checks of the branch.
const POLLING_SECONDS: u64 = 300;
/// The branch of a repository without commits.
const FIRST_BRANCH: &str = "main";

/// A repository with the credentials and the branch that an installation uses.
pub(super) struct Connection<'a> {
    repository: &'a HostedRepository,
    pub(super) branch: String,
    credentials: GivenCredentials,
}

impl<'a> Connection<'a> {
    pub(super) fn new(
        owner: &GitInstallation,
        repository: &'a HostedRepository,
        token: Option<&str>,
    ) -> Self {
        let default = repository.default_branch.as_deref().unwrap_or(FIRST_BRANCH);
        let branch = owner.branch.clone().unwrap_or_else(|| format!("refs/heads/{default}"));
        let credentials = match (owner.provider, owner.repository, token) {
            (GitProvider::Github, Some(repository), _) => GivenCredentials::GitHubApp(repository),
            (GitProvider::Gitlab, _, Some(token)) => {
                GivenCredentials::Basic(gitlab::USER.to_owned(), token.to_owned())
            }
            _ => GivenCredentials::None,
        };
        Self { repository, branch, credentials }
    }
}

/// Returns the relation of branches and change requests: with previews of other branches, both are
/// transferred as pull requests.
fn change_requests(installation: &GitInstallation) -> ChangeRequestSync {
    if installation.preview_branches != Some(true) {
        return ChangeRequestSync::default();
    }
    ChangeRequestSync {
        import: vec!["*".to_owned()],
        export: Some(ChangeRequestExport::PullRequest),
        branch_prefix: None,
        service: Some(installation.provider.into()),
        api_url: None,
    }
}

/// Sets up the synchronisation of the space of an installation, and requests a run.
pub(super) fn connect_space(
    cx: &Context<'_>,
    installation: &GitInstallation,
    connection: &Connection<'_>,
) -> Result<()> {
    let space = managed_space(cx, installation.space)?;
    let change = GitSyncChange {
        url: connection.repository.clone_url.clone(),
        reference: connection.branch.clone(),
        directory: installation.directory.clone(),
        direction: GitSyncDirection::Both,
        initial_direction: Some(installation.priority),
        credentials: Some(connection.credentials.clone()),
        polling_seconds: POLLING_SECONDS,
        commit_message: installation.commit_message.clone(),
        rewritten_history: RewrittenHistory::Merge,
        rotates_secret: false,
        signs_commits: None,
        change_requests: change_requests(installation),
    };
    let changed = git_sync::put_of_installation(cx, &space, &change).map_err(|error| {
        // The values come from the service, not from the body.
        match error.problems() {
            [Problem { text, .. }] => FieldPath::new("/providerConfiguration")
                .invalid(format_args!("the repository cannot be synchronised: {text}")),
            _ => error,
        }
    })?;
    webhook::set(cx, installation, &changed.sync)?;
    match (changed.sync.status, changed.sync.pause_reason) {
        (GitSyncStatus::Paused, Some(GitSyncPause::Authentication)) => {
            git_sync::resume(cx, &space)?;
        }
        (GitSyncStatus::Paused, _) => {}
        _ => {
            git_sync::start(cx, &space)?;
        }
    }
    Ok(())
}

/// A space of a site with its folder in the repository.
struct Placed {
    place: SiteSpace,
    child: Option<GitInstallation>,
    directory: String,
}

/// Sets up the synchronisations of all spaces of a site. Returns the configuration that is missing
/// if the folder of a space is not known; then nothing is changed.
pub(super) fn connect_site(
    cx: &Context<'_>,
    parent: &GitInstallation,
    connection: &Connection<'_>,
    directories: &BTreeMap<String, String>,
) -> Result<Option<MissingConfiguration>> {
    let Some(site) = parent.site else { return Err(Error::not_found("site")) };
    let children = git_installations::list_children(cx.tx, parent.id)?;
    let places = existing_places(cx.tx, site)?;
    require_known(directories, &places, &children)?;
    let (mut placed, mut missing) = (Vec::new(), Vec::new());
    let is_only = places.len() == 1;
    for place in places {
        let child = children.iter().find(|child| child.space == Some(place.space)).cloned();
        let given = given_directory(directories, place.space, child.as_ref())?;
        let known = given.or_else(|| child.as_ref().map(|child| child.directory.clone()));
        let default = default_directory(&parent.directory, &place.path);
        let directory = match known {
            Some(directory) => directory,
            None if is_only => parent.directory.clone(),
            // The export creates the folder.
            None if parent.priority == GitSyncStart::Export => default,
            None => {
                missing.push((place.space.to_string(), default));
                continue;
            }
        };
        placed.push(Placed { place, child, directory });
    }
    if let Some((_, first)) = missing.first() {
        return Ok(Some(MissingConfiguration {
            path: format!("{first}/.gitbook.yaml"),
            branch: connection.branch.clone(),
            spaces: missing.into_iter().map(|(space, _)| space).collect(),
        }));
    }
    require_separate(&placed)?;
    for Placed { place, child, directory } in placed {
        require_unused(cx.tx, parent, &place)?;
        let id = child.as_ref().map(|child| child.id);
        let now = cx.tx.now();
        let installation = GitInstallation {
            id: id.unwrap_or_else(|| GitInstallationId::random(&cx.app.entropy)),
            parent: Some(parent.id),
            space: Some(place.space),
            directory,
            status: GitInstallationStatus::Active,
            // Only the installation of the site has the token.
            token: None,
            commit_message: match &child {
                Some(child) => child.commit_message.clone(),
                None => parent.commit_message.clone(),
            },
            priority: child.as_ref().map_or(parent.priority, |child| child.priority),
            created_at: child.as_ref().map_or(now, |child| child.created_at),
            updated_at: now,
            ..parent.clone()
        };
        connect_space(cx, &installation, connection)?;
        git_installations::set(cx.tx, &installation)?;
        record(cx, &installation, |installation| match id {
            Some(_) => Event::GitInstallationUpdated { installation },
            None => Event::GitInstallationCreated { installation, provider: parent.provider },
        })?;
    }
    Ok(None)
}

/// Returns the spaces of a site without those that were deleted and can be restored.
fn existing_places(tx: &Tx<'_>, site: SiteId) -> Result<Vec<SiteSpace>> {
    let mut places = site_spaces::list(tx, site)?;
    let ids: Vec<SpaceId> = places.iter().map(|place| place.space).collect();
    let existing = spaces::with_ids(tx, &ids)?;
    let existing = existing.iter().filter(|space| space.deleted_at.is_none());
    let existing: HashSet<SpaceId> = existing.map(|space| space.id).collect();
    places.retain(|place| existing.contains(&place.space));
    Ok(places)
}

/// Fails if a directory is given for something that is no space of the site.
fn require_known(
    directories: &BTreeMap<String, String>,
    places: &[SiteSpace],
    children: &[GitInstallation],
) -> Result<()> {
    let is_known = |id: &str| {
        places.iter().any(|place| place.space.as_str() == id)
            || children.iter().any(|child| child.id.as_str() == id)
    };
    match directories.keys().find(|id| !is_known(id)) {
        None => Ok(()),
        Some(id) => Err(directory_at(id).invalid(
            "allowed: the id of a space of this site, or that of the installation of one",
        )),
    }
}

fn directory_at(id: &str) -> FieldPath {
    FieldPath::new("/childInstallationProjectDirectories").field(id)
}

fn given_directory(
    directories: &BTreeMap<String, String>,
    space: SpaceId,
    child: Option<&GitInstallation>,
) -> Result<Option<String>> {
    let ids = [Some(space.to_string()), child.map(|child| child.id.to_string())];
    for id in ids.into_iter().flatten() {
        if let Some(directory) = directories.get(&id) {
            return checked_directory(&directory_at(&id), directory).map(Some);
        }
    }
    Ok(None)
}

/// Returns the folder of a space that has none: its path on the site, in the folder of the site.
fn default_directory(parent: &str, path: &str) -> String {
    if parent.is_empty() { path.to_owned() } else { format!("{parent}/{path}") }
}

/// Fails if the folder of a space contains that of another one: both would write the same files.
fn require_separate(placed: &[Placed]) -> Result<()> {
    for (index, one) in placed.iter().enumerate() {
        for other in placed.iter().skip(index + 1) {
            if contains(&one.directory, &other.directory)
                || contains(&other.directory, &one.directory)
            {
                return Err(FieldPath::new("/childInstallationProjectDirectories").invalid(
                    format_args!(
                        "found \"{}\" and \"{}\", allowed: folders of which none contains another",
                        one.directory.escape_debug(),
                        other.directory.escape_debug()
                    ),
                ));
            }
        }
    }
    Ok(())
}

fn contains(outer: &str, inner: &str) -> bool {
    let rest = inner.strip_prefix(outer);
    outer.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Fails if a space has another installation, or a synchronisation of its own.
fn require_unused(tx: &Tx<'_>, parent: &GitInstallation, place: &SiteSpace) -> Result<()> {
    let used = |what: String| {
        Err(FieldPath::new("/providerConfiguration")
            .invalid(format_args!("the space {} has {what}; end it first", place.space)))
    };
    match git_installations::get_by_space(tx, place.space)? {
        Some(own) if own.parent == Some(parent.id) => Ok(()),
        Some(own) => used(format!("the Git installation {}", own.id)),
        None if git_syncs::get(tx, place.space)?.is_some() => {
            used("a synchronisation of its own".to_owned())
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_contain_each_other_by_whole_names() {
        for (outer, inner, expect) in [
            ("", "", true),
            ("", "guide", true),
            ("guide", "guide", true),
            ("guide", "guide/intro", true),
            ("guide", "guidelines", false),
            ("guide/intro", "guide", false),
        ] {
            assert_eq!(contains(outer, inner), expect, "{outer} {inner}");
        }
    }
}
