//! The part of a change of an installation that needs the network. It runs before the transaction.

use std::collections::BTreeMap;

use bindery_model::{
    Error, FieldPath, GitInstallationId, GitProvider, GitSyncStart, OrganizationId, Result,
};
use bindery_outbound::Error as OutboundError;
use bindery_store::git_installations::{self, GitInstallation};
use bindery_store::{Tx, sites, spaces};

use super::service::Lookup;
use super::{github, gitlab};
use crate::App;
use crate::content::git_hosting::HostingError;
use crate::content::git_requests::{check_directory, trimmed_directory};
use crate::content::{exports, git_sync};

/// Maximum size of an access token in bytes.
const MAX_TOKEN: usize = 4_096;
/// Maximum size of a project directory in bytes.
const MAX_DIRECTORY: usize = 1_024;

/// A requested change of an installation. Absent values stay.
#[derive(Clone, Debug)]
pub struct InstallationChange {
    /// The service, which must be that of the installation.
    pub provider: GitProvider,
    /// The project's directory in the repository.
    pub directory: Option<String>,
    /// The template of the messages of commits; an empty one removes it.
    pub commit_message: Option<String>,
    /// The setting for previews of other branches.
    pub preview_branches: Option<bool>,
    /// The setting for instructions to agents.
    pub agents_instructions: Option<bool>,
    /// The setting for instructions to Claude.
    pub claude_instructions: Option<bool>,
    /// The direction of the first run.
    pub priority: Option<GitSyncStart>,
    /// The repository and the credentials.
    pub service: ServiceChange,
    /// The directories of the spaces of a site, by the id of the space or of its installation.
    pub child_directories: BTreeMap<String, String>,
}

/// A requested change of the repository and the credentials.
#[derive(Clone, Default)]
pub struct ServiceChange {
    /// The number of the repository.
    pub repository: Option<i64>,
    /// The access token.
    pub token: Option<String>,
    /// The address of the GitLab server; `Some(None)` for gitlab.com.
    pub instance: Option<Option<String>>,
    /// The branch.
    pub branch: Option<String>,
}

impl std::fmt::Debug for ServiceChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServiceChange").finish_non_exhaustive()
    }
}

impl ServiceChange {
    const fn is_empty(&self) -> bool {
        self.repository.is_none()
            && self.token.is_none()
            && self.instance.is_none()
            && self.branch.is_none()
    }
}

/// A change whose repository was looked up.
#[derive(Clone)]
pub struct PreparedChange {
    /// The installation, and the one of the site that it belongs to, before the change.
    pub(super) before: Installations,
    /// The installation after the change, without the repository.
    pub(super) next: GitInstallation,
    /// The access token.
    pub(super) token: Option<String>,
    /// The repository; `None` if none is named, or the credentials are missing.
    pub(super) lookup: Option<Lookup>,
    pub(super) child_directories: BTreeMap<String, String>,
}

impl std::fmt::Debug for PreparedChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PreparedChange").field("id", &self.next.id).finish_non_exhaustive()
    }
}

/// An installation, and the one of the site that it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Installations {
    pub(super) own: GitInstallation,
    pub(super) parent: Option<GitInstallation>,
    /// The organization of the space or the site.
    organization: OrganizationId,
}

impl Installations {
    pub(super) fn load(tx: &Tx<'_>, id: GitInstallationId) -> Result<Self> {
        let missing = || Error::not_found("Git installation");
        let own = git_installations::get(tx, id)?.ok_or_else(missing)?;
        let parent = own.parent.map(|parent| git_installations::get(tx, parent)).transpose()?;
        let organization = organization(tx, &own)?.ok_or_else(missing)?;
        Ok(Self { own, parent: parent.flatten(), organization })
    }
}

/// Returns the organization of the space or the site of an installation.
pub(super) fn organization(
    tx: &Tx<'_>,
    installation: &GitInstallation,
) -> Result<Option<OrganizationId>> {
    Ok(match (installation.space, installation.site) {
        (Some(space), _) => spaces::get(tx, space)?.map(|space| space.organization),
        (None, Some(site)) => sites::get(tx, site)?.map(|site| site.organization),
        (None, None) => None,
    })
}

/// Checks a change and asks the service for the repository. The caller was authorised before.
///
/// # Errors
/// Returns 400 for an invalid value, a server that the guard does not permit, or a project that
/// GitLab does not show to the owner of the token; 403 for a repository at GitHub that the
/// organization may not use; 409 if the server has no GitHub App; 503 if the service does not
/// answer.
pub async fn prepare(
    app: &App,
    id: Option<GitInstallationId>,
    change: &InstallationChange,
) -> Result<PreparedChange> {
    let id = id.ok_or_else(|| Error::not_found("Git installation"))?;
    let before = app.store.read(move |tx| Installations::load(tx, id)).await?;
    let next = merged(app, &before, change)?;
    // The installation of a space of a site uses the repository and the token of the site's.
    let owner = before.parent.as_ref().unwrap_or(&next);
    let token = match (&change.service.token, &owner.token) {
        (Some(given), _) => Some(given.clone()),
        (None, Some(sealed)) => app.secrets.open(sealed),
        (None, None) => None,
    };
    let lookup = match owner.repository {
        None => None,
        Some(repository) => {
            look_up(app, owner, before.organization, token.as_deref(), repository).await?
        }
    };
    let child_directories = change.child_directories.clone();
    Ok(PreparedChange { before, next, token, lookup, child_directories })
}

async fn look_up(
    app: &App,
    owner: &GitInstallation,
    organization: OrganizationId,
    token: Option<&str>,
    repository: i64,
) -> Result<Option<Lookup>> {
    let (found, field, allowed) = match owner.provider {
        GitProvider::Gitlab => {
            let Some(token) = token else { return Ok(None) };
            let instance = owner.instance.as_deref().unwrap_or(gitlab::INSTANCE);
            let found = gitlab::find(app, instance, token, repository).await;
            let allowed = "a project that the owner of the token can read".to_owned();
            (found, "projectId", allowed)
        }
        GitProvider::Github => {
            let github = github::configured(app)?;
            let accounts = github.accounts(organization)?;
            let found = github.find(app, accounts, repository).await;
            let allowed = format!(
                "a repository of {} on which the GitHub App of the server is installed",
                accounts.join(", ")
            );
            (found, "repositoryId", allowed)
        }
    };
    let at = |field| FieldPath::new("/providerConfiguration").field(field);
    match found {
        Ok(None) => {
            let message = format!("found {repository}, allowed: {allowed}");
            Err(match owner.provider {
                GitProvider::Gitlab => Error::invalid(message),
                GitProvider::Github => Error::forbidden(message),
            }
            .at(at(field)))
        }
        Ok(found) => Ok(found),
        Err(HostingError::Unreachable(
            error @ (OutboundError::Refused(_) | OutboundError::Resolve { .. }),
        )) if owner.provider == GitProvider::Gitlab => Err(at("customInstanceURL").invalid(error)),
        Err(error) => Err(Error::unavailable(error.to_string())),
    }
}

/// Returns an installation with the changed settings.
fn merged(
    app: &App,
    before: &Installations,
    change: &InstallationChange,
) -> Result<GitInstallation> {
    let mut next = before.own.clone();
    if change.provider != next.provider {
        return Err(FieldPath::new("/provider").invalid(format_args!(
            "found \"{}\", allowed: \"{}\", the service of this installation",
            change.provider.as_str(),
            next.provider.as_str()
        )));
    }
    if next.parent.is_some() && !change.service.is_empty() {
        return Err(FieldPath::new("/providerConfiguration")
            .invalid("not allowed for a space of a site; change the installation of the site"));
    }
    if next.space.is_some() && !change.child_directories.is_empty() {
        return Err(FieldPath::new("/childInstallationProjectDirectories")
            .invalid("allowed only for the installation of a site"));
    }
    if let Some(directory) = &change.directory {
        next.directory = checked_directory(&FieldPath::new("/projectDirectory"), directory)?;
    }
    if let Some(text) = &change.commit_message {
        let at = FieldPath::new("/commitMessageTemplate");
        let text = text.trim();
        next.commit_message = match text {
            "" => None,
            text => Some(git_sync::check_template(&at, text)?),
        };
    }
    next.preview_branches = change.preview_branches.or(next.preview_branches);
    next.agents_instructions = change.agents_instructions.unwrap_or(next.agents_instructions);
    next.claude_instructions = change.claude_instructions.unwrap_or(next.claude_instructions);
    next.priority = change.priority.unwrap_or(next.priority);
    merge_service(app, &mut next, &change.service)?;
    Ok(next)
}

fn merge_service(app: &App, next: &mut GitInstallation, change: &ServiceChange) -> Result<()> {
    let ServiceChange { repository, token, instance, branch } = change;
    let field = |name: &str| FieldPath::new("/providerConfiguration").field(name);
    if let Some(instance) = instance {
        let instance = match instance.as_deref().map(str::trim) {
            None | Some("") => None,
            Some(text) => Some(gitlab::check_instance(&app.guard, text)?),
        };
        let instance = instance.filter(|instance| instance != gitlab::INSTANCE);
        if instance != next.instance {
            // Another server must not receive the token.
            (next.instance, next.token) = (instance, None);
        }
    }
    if let Some(token) = token {
        let is_valid =
            (1..=MAX_TOKEN).contains(&token.len()) && token.bytes().all(|b| b.is_ascii_graphic());
        if !is_valid {
            return Err(field("accessToken").invalid(format_args!(
                "allowed: a token of 1 to {MAX_TOKEN} printable ASCII characters"
            )));
        }
        next.token = Some(app.secrets.seal(&app.entropy, token)?);
    }
    if let Some(branch) = branch {
        next.branch = Some(exports::branch_at(&field("branch"), branch)?);
    }
    next.repository = repository.or(next.repository);
    Ok(())
}

/// Checks a project directory and returns it without a slash at its end.
pub(super) fn checked_directory(at: &FieldPath, directory: &str) -> Result<String> {
    if directory.len() > MAX_DIRECTORY {
        return Err(at.invalid(format_args!("allowed: a path of at most {MAX_DIRECTORY} bytes")));
    }
    check_directory(at.clone(), directory)?;
    Ok(trimmed_directory(directory).to_owned())
}
