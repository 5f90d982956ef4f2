//! Creation, reading and removal of installations.

use std::collections::HashMap;

use bindery_model::{
    Error, FieldPath, GitInstallationId, GitInstallationStatus, GitProvider, GitSyncStart, Result,
    Role, SiteId, SpaceId,
};
use bindery_store::git_installations::{self, GitInstallation};
use bindery_store::git_syncs::{self, GitSync};
use bindery_store::spaces::{Space, SpaceOutline};
use bindery_store::{Event, NewEvent, Tx, site_spaces, sites, spaces};

use super::prepare::organization;
use super::{github, webhook};
use crate::Context;
use crate::access::{
    AccessFacts, Action, Authorized, Loaded, Person, Target, TargetKind, authorize_target,
    membership, site_access, space_access,
};
use crate::publishing::sites::SiteTarget;

/// An installation as the target of an operation.
#[derive(Clone, Debug)]
pub struct GitInstallationTarget(pub GitInstallation);

impl Target for GitInstallationTarget {
    const KIND: TargetKind = TargetKind::GitInstallation;
    type Key = GitInstallationId;

    fn load(tx: &Tx<'_>, person: Option<&Person>, key: &Self::Key) -> Result<Option<Loaded<Self>>> {
        let Some(person) = person else { return Ok(None) };
        let Some(installation) = git_installations::get(tx, *key)? else { return Ok(None) };
        let role = match (installation.space, installation.site) {
            (Some(space), _) => match spaces::get(tx, space)? {
                Some(space) if space.deleted_at.is_none() => {
                    space_access(tx, person, &space)?.role()
                }
                _ => None,
            },
            (None, Some(site)) => match sites::get(tx, site)? {
                Some(site) => site_access(tx, person, &site)?.role(),
                None => None,
            },
            (None, None) => None,
        };
        Ok(Some(Loaded { target: Self(installation), role: sees(role) }))
    }
}

/// Returns a role if it permits to see installations. Other callers do not learn which ones exist.
fn sees(role: Option<Role>) -> Option<Role> {
    role.filter(|role| *role >= Action::ViewGitSync.requirements().role)
}

/// An installation with the synchronisation of its space.
#[derive(Clone, Debug)]
pub struct GitInstallationView {
    /// The installation.
    pub installation: GitInstallation,
    /// The synchronisation; `None` if there is none yet, or the target is a site.
    pub sync: Option<GitSync>,
}

impl GitInstallationView {
    pub(super) fn load(tx: &Tx<'_>, installation: GitInstallation) -> Result<Self> {
        let sync = match installation.space {
            Some(space) => git_syncs::get(tx, space)?,
            None => None,
        };
        Ok(Self { installation, sync })
    }
}

/// The requested target of a new installation, by the ids of the request.
#[derive(Clone, Debug)]
pub enum InstallationPlace {
    /// A space, and a site that contains it.
    Space(String, Option<String>),
    /// A site.
    Site(String),
}

/// Installs a hosting service on a space or a site, without a repository.
///
/// # Errors
/// Returns 404 if the target does not exist for the caller; 403 if they may not manage its
/// synchronisation, or its organization may use no account at GitHub; 409 if it has an installation
/// or a synchronisation, or if the service is GitHub and the server has no GitHub App.
pub fn install(
    cx: &Context<'_>,
    provider: GitProvider,
    place: &InstallationPlace,
) -> Result<GitInstallationView> {
    let (space, site) = match place {
        InstallationPlace::Space(space, site) => {
            let space = managed_space(cx, SpaceId::parse(space))
                .map_err(|error| error.at(FieldPath::new("/target/spaceId")))?;
            let site = match site {
                Some(site) => Some(site_of(cx, space.id, site)?),
                None => None,
            };
            require_free(cx.tx, space.id)?;
            (Some(space.into_inner()), site)
        }
        InstallationPlace::Site(site) => (None, Some(managed_site(cx, SiteId::parse(site))?)),
    };
    if space.is_none()
        && let Some(site) = site
        && let Some(known) = git_installations::get_by_site(cx.tx, site)?
    {
        return Err(Error::conflict(format!("the site has the Git installation {}", known.id)));
    }
    let Some(user) = cx.user() else {
        return Err(Error::unauthenticated("this operation needs a token"));
    };
    let now = cx.tx.now();
    let installation = GitInstallation {
        id: GitInstallationId::random(&cx.app.entropy),
        parent: None,
        space: space.as_ref().map(|space| space.id),
        site,
        provider,
        status: match provider {
            GitProvider::Github => GitInstallationStatus::Pending,
            GitProvider::Gitlab => GitInstallationStatus::Unauthenticated,
        },
        directory: String::new(),
        commit_message: None,
        preview_branches: None,
        agents_instructions: false,
        claude_instructions: false,
        priority: GitSyncStart::Import,
        instance: None,
        token: None,
        repository: None,
        branch: None,
        repository_name: None,
        repository_url: None,
        clone_url: None,
        default_branch: None,
        created_by: user,
        created_at: now,
        updated_at: now,
    };
    if provider == GitProvider::Github {
        let organization = organization(cx.tx, &installation)?;
        let organization = organization.ok_or_else(|| Error::not_found("organization"))?;
        github::configured(cx.app)?.accounts(organization)?;
    }
    git_installations::set(cx.tx, &installation)?;
    record(cx, &installation, |installation| Event::GitInstallationCreated {
        installation,
        provider,
    })?;
    GitInstallationView::load(cx.tx, installation)
}

/// Returns a space whose synchronisation the caller manages.
pub(super) fn managed_space(cx: &Context<'_>, space: Option<SpaceId>) -> Result<Authorized<Space>> {
    authorize_target::<Space>(cx.tx, cx.caller, Action::ManageGitSync, space.as_ref())
}

/// Returns the id of a site whose synchronisation the caller manages.
fn managed_site(cx: &Context<'_>, site: Option<SiteId>) -> Result<SiteId> {
    let site = site.map(|site| sites::get(cx.tx, site)).transpose()?.flatten();
    let key = site.map(|site| (site.organization, site.id));
    let action = Action::ManageGitSync;
    let site = authorize_target::<SiteTarget>(cx.tx, cx.caller, action, key.as_ref())
        .map_err(|error| error.at(FieldPath::new("/target/siteId")))?;
    Ok(site.0.id)
}

/// Returns the id of a site that the caller sees and that contains a space.
fn site_of(cx: &Context<'_>, space: SpaceId, site: &str) -> Result<SiteId> {
    let missing = || FieldPath::new("/target/siteId").not_found("site with this space");
    let site = SiteId::parse(site).map(|site| sites::get(cx.tx, site)).transpose()?.flatten();
    let site = site.ok_or_else(missing)?;
    let person = cx.caller.person().ok_or_else(missing)?;
    let has_space = site_spaces::list(cx.tx, site.id)?.iter().any(|place| place.space == space);
    if site_access(cx.tx, person, &site)?.role().is_none() || !has_space {
        return Err(missing());
    }
    Ok(site.id)
}

/// Fails if a space has an installation or a synchronisation.
fn require_free(tx: &Tx<'_>, space: SpaceId) -> Result<()> {
    require_none(tx, space)?;
    if git_syncs::get(tx, space)?.is_some() {
        return Err(Error::conflict(
            "the space is synchronised with a repository; end that synchronisation first",
        ));
    }
    Ok(())
}

/// Fails if the synchronisation of a space belongs to an installation.
///
/// # Errors
/// Returns 409 with the id of the installation.
pub fn require_none(tx: &Tx<'_>, space: SpaceId) -> Result<()> {
    match git_installations::get_by_space(tx, space)? {
        None => Ok(()),
        Some(known) => {
            let id = known.id;
            Err(Error::conflict(format!(
                "the space has the Git installation {id}; change or remove that one"
            )))
        }
    }
}

/// Returns an installation.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    cx: &Context<'_>,
    target: &Authorized<GitInstallationTarget>,
) -> Result<GitInstallationView> {
    GitInstallationView::load(cx.tx, target.0.clone())
}

/// Lists the installation of a site and those of its spaces that the caller may see, oldest first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_on_site(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
) -> Result<Vec<GitInstallationView>> {
    let Some(person) = cx.caller.person() else { return Ok(Vec::new()) };
    let installations = git_installations::list_on_site(cx.tx, site.0.id)?;
    let ids: Vec<SpaceId> = installations.iter().filter_map(|one| one.space).collect();
    let spaces = spaces::with_ids(cx.tx, &ids)?;
    let spaces = spaces.iter().filter(|space| space.deleted_at.is_none());
    let outlines: Vec<SpaceOutline> = spaces.map(SpaceOutline::from).collect();
    let standing = membership(cx.tx, person, site.0.organization)?;
    let facts = AccessFacts::load(cx.tx, person.user, standing, &outlines, &[])?;
    let visible = outlines.iter().filter(|space| sees(facts.space(space).role()).is_some());
    let visible: Vec<SpaceId> = visible.map(|space| space.id).collect();
    let syncs = git_syncs::of_spaces(cx.tx, &visible)?;
    let mut syncs: HashMap<_, _> = syncs.into_iter().map(|sync| (sync.space, sync)).collect();
    let shown = installations
        .into_iter()
        .filter(|installation| installation.space.is_none_or(|space| visible.contains(&space)))
        .map(|installation| {
            let sync = installation.space.and_then(|space| syncs.remove(&space));
            GitInstallationView { installation, sync }
        });
    Ok(shown.collect())
}

/// Removes an installation and ends the synchronisation of its space, or of the spaces of its site.
/// Their content stays.
///
/// # Errors
/// Returns an error if the store fails.
pub fn uninstall(cx: &Context<'_>, target: &Authorized<GitInstallationTarget>) -> Result<()> {
    for child in git_installations::list_children(cx.tx, target.0.id)? {
        remove(cx, &child)?;
    }
    remove(cx, &target.0)
}

/// Removes the webhooks of a site that is deleted in this transaction.
///
/// # Errors
/// Returns an error if the store fails.
pub fn remove_webhooks_of_site(cx: &Context<'_>, site: SiteId) -> Result<()> {
    match git_installations::get_by_site(cx.tx, site)? {
        Some(installation) => Ok(webhook::remove_all(cx.tx, &installation, cx.user())?),
        None => Ok(()),
    }
}

fn remove(cx: &Context<'_>, installation: &GitInstallation) -> Result<()> {
    if let Some(space) = installation.space
        && git_syncs::get(cx.tx, space)?.is_some()
    {
        record(cx, installation, |_| Event::GitSyncDeleted)?;
    }
    webhook::remove(cx.tx, installation, cx.user())?;
    git_installations::delete(cx.tx, installation)?;
    record(cx, installation, |installation| Event::GitInstallationDeleted { installation })
}

/// Records a change of an installation.
pub(super) fn record(
    cx: &Context<'_>,
    installation: &GitInstallation,
    event: impl FnOnce(GitInstallationId) -> Event,
) -> Result<()> {
    let event = NewEvent::new(event(installation.id)).by(cx.user());
    let Some(organization) = organization(cx.tx, installation)? else { return Ok(()) };
    let event = event.organization(organization);
    let event = match (installation.space, installation.site) {
        (Some(space), _) => event.space(space),
        (None, Some(site)) => event.site(site),
        (None, None) => event,
    };
    cx.tx.record(&event)?;
    Ok(())
}
