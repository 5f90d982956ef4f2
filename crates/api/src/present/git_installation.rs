//! Installations of Git hosting services.

use bindery_app::App;
use bindery_app::content::git_installations::{GitInstallation, GitInstallationView};
use bindery_app::content::git_sync::GitSync;
use bindery_model::{Error, GitInstallationStatus, GitProvider, GitSyncStatus, Result};
use bindery_wire::response::{
    GitRepositoryConnection, GitRepositoryConnectionCapabilities, GitRepositoryRef,
    GitSyncInstallation, GitSyncInstallationTarget, GitSyncInstallationTargetSite,
    GitSyncInstallationTargetSpace, GitSyncInstallationUrls, GitSyncRoot,
};
use bindery_wire::values::{
    GitRepositoryRefType, GitSyncInstallationSetupCommonAgentInstruction, GitSyncRootStatus,
};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::closed_sets::{
    git_connection_state, git_installation_status, git_merge_authority, git_priority, git_provider,
    git_setup_provider,
};

/// Presents an installation, without its token.
pub(crate) fn git_installation(
    app: &App,
    view: GitInstallationView,
) -> Result<GitSyncInstallation> {
    let GitInstallationView { installation, sync } = view;
    let repository_connection = connection(&installation);
    let repository_ref = repository_ref(&installation, sync.as_ref());
    let sync_root = root(&installation, sync.as_ref());
    let target = target(&installation);
    let GitInstallation {
        id,
        parent,
        space: _,
        site: _,
        provider,
        status,
        directory,
        commit_message,
        preview_branches,
        agents_instructions,
        claude_instructions,
        priority,
        instance,
        token: _,
        repository,
        branch,
        repository_name: _,
        repository_url: _,
        clone_url: _,
        default_branch: _,
        created_by,
        created_at,
        updated_at,
    } = installation;
    let configuration = match provider {
        GitProvider::Gitlab => json!({
            "projectId": repository, "customInstanceURL": instance, "branch": branch,
        }),
        GitProvider::Github => json!({ "repositoryId": repository, "branch": branch }),
    };
    Ok(GitSyncInstallation {
        project_directory: Some(directory),
        commit_message_template: commit_message,
        preview_external_branches: preview_branches,
        agent_instructions: agent_kinds(agents_instructions, claude_instructions),
        priority: Some(git_priority(priority)),
        provider: git_setup_provider(provider),
        provider_configuration: present_fields(configuration)?,
        id: id.to_string(),
        parent_installation_id: parent.map(|parent| parent.to_string()),
        target,
        status: git_installation_status(status),
        repository_connection,
        repository_ref,
        sync_root,
        created_at,
        created_by: created_by.to_string(),
        updated_at,
        urls: GitSyncInstallationUrls {
            location: app.urls.api(format_args!("/git/installations/{id}")),
        },
    })
}

/// Returns the kinds of instructions that are set; `None` if none are.
fn agent_kinds(
    agents: bool,
    claude: bool,
) -> Option<Vec<GitSyncInstallationSetupCommonAgentInstruction>> {
    use GitSyncInstallationSetupCommonAgentInstruction::{Agents, Claude};
    let kinds = [agents.then_some(Agents), claude.then_some(Claude)];
    let kinds: Vec<_> = kinds.into_iter().flatten().collect();
    Some(kinds).filter(|kinds| !kinds.is_empty())
}

/// Returns an object without its absent fields.
fn present_fields(mut object: serde_json::Value) -> Result<Box<RawValue>> {
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    to_raw_value(&object).map_err(|error| Error::internal(error.to_string()))
}

fn target(installation: &GitInstallation) -> GitSyncInstallationTarget {
    match (installation.space, installation.site) {
        (Some(space), site) => GitSyncInstallationTarget::Space(GitSyncInstallationTargetSpace {
            space_id: space.to_string(),
            site_id: site.map(|site| site.to_string()),
        }),
        (None, site) => GitSyncInstallationTarget::Site(GitSyncInstallationTargetSite {
            site_id: site.map(|site| site.to_string()).unwrap_or_default(),
        }),
    }
}

/// Returns the repository; `None` if the service has not described it.
fn connection(installation: &GitInstallation) -> Option<GitRepositoryConnection> {
    Some(GitRepositoryConnection {
        id: installation.id.to_string(),
        provider: git_provider(installation.provider),
        repository_id: installation.repository?.to_string(),
        repository_name: installation.repository_name.clone()?,
        repository_url: installation.repository_url.clone()?,
        default_branch: installation.default_branch.clone(),
        auth_state: git_connection_state(installation.status),
        capabilities: GitRepositoryConnectionCapabilities {
            pull_requests: false,
            commit_statuses: false,
        },
        created_at: installation.created_at,
        updated_at: installation.updated_at,
    })
}

/// Returns the branch; `None` if there is no repository.
fn repository_ref(
    installation: &GitInstallation,
    sync: Option<&GitSync>,
) -> Option<GitRepositoryRef> {
    installation.repository_name.as_ref()?;
    let default = || installation.default_branch.as_ref().map(|name| format!("refs/heads/{name}"));
    let name = match sync {
        Some(sync) => sync.settings.reference.clone(),
        None => installation.branch.clone().or_else(default)?,
    };
    let tip = sync.and_then(|sync| sync.tip.clone());
    Some(GitRepositoryRef {
        id: installation.id.to_string(),
        name,
        r#type: GitRepositoryRefType::Branch,
        latest_observed_commit_id: tip.clone(),
        latest_imported_commit_id: tip.filter(|_| sync.is_some_and(|sync| sync.error.is_none())),
        updated_at: sync
            .map_or(installation.updated_at, |sync| sync.checked_at.unwrap_or(sync.updated_at)),
    })
}

/// Returns the state of the synchronisation; `None` if there is no repository.
fn root(installation: &GitInstallation, sync: Option<&GitSync>) -> Option<GitSyncRoot> {
    installation.repository_name.as_ref()?;
    let is_active = match sync {
        Some(sync) => sync.status != GitSyncStatus::Paused,
        None => installation.status == GitInstallationStatus::Active,
    };
    Some(GitSyncRoot {
        id: installation.id.to_string(),
        installation_id: installation.id.to_string(),
        target: target(installation),
        default_merge_authority_policy: git_merge_authority(installation.priority),
        status: if is_active { GitSyncRootStatus::Active } else { GitSyncRootStatus::Disabled },
        created_at: installation.created_at,
        updated_at: sync.map_or(installation.updated_at, |sync| sync.updated_at),
    })
}
