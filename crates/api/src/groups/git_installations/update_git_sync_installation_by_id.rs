//! `updateGitSyncInstallationById`: changes an installation, and synchronises its repository.

use bindery_app::access::{Action, Authorized};
use bindery_app::content::git_installations::{
    self, GitInstallationTarget, InstallationChange, MissingConfiguration, PreparedChange,
    ServiceChange, Updated,
};
use bindery_app::{App, Context};
use bindery_model::{FieldPath, GitInstallationId, GitProvider, Result};
use bindery_wire::request::UpdateGitSyncInstallationByIdBody;
use bindery_wire::values::GitSyncInstallationSetupCommonAgentInstruction;
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::closed_sets::{git_priority_of, git_setup_provider_of};
use crate::operation::{Operation, write_with_files};
use crate::pipeline::run::PrepareFuture;
use crate::present;
use crate::reply::Reply;

/// The fields of `providerConfiguration` for each service.
const GITLAB_FIELDS: [&str; 4] = ["projectId", "accessToken", "customInstanceURL", "branch"];
const GITHUB_FIELDS: [&str; 2] = ["repositoryId", "branch"];

pub(super) fn operation() -> Operation {
    write_with_files("updateGitSyncInstallationById", Action::ManageGitSync, prepare, run)
        .expensive()
}

fn prepare<'a>(app: &'a App, call: &'a Call) -> PrepareFuture<'a, PreparedChange> {
    Box::pin(async move {
        let change = requested(call.body()?)?;
        let id = GitInstallationId::parse(call.path("installationId"));
        git_installations::prepare(app, id, &change).await
    })
}

fn run(
    cx: &Context<'_>,
    target: &Authorized<GitInstallationTarget>,
    _: &Call,
    prepared: &PreparedChange,
) -> Result<Reply> {
    match git_installations::update(cx, target, prepared)? {
        Updated::Done(view) => Reply::json(200, &present::git_installation(cx.app, *view)?),
        Updated::Missing(missing) => missing_configuration(missing),
    }
}

fn requested(body: UpdateGitSyncInstallationByIdBody) -> Result<InstallationChange> {
    use GitSyncInstallationSetupCommonAgentInstruction::{Agents, Claude};
    let UpdateGitSyncInstallationByIdBody {
        project_directory,
        commit_message_template,
        preview_external_branches,
        agent_instructions,
        priority,
        provider,
        provider_configuration,
        child_installation_project_directories,
    } = body;
    let provider = git_setup_provider_of(provider);
    Ok(InstallationChange {
        provider,
        directory: project_directory,
        commit_message: commit_message_template,
        preview_branches: preview_external_branches,
        agents_instructions: agent_instructions.as_ref().map(|kinds| kinds.contains(&Agents)),
        claude_instructions: agent_instructions.as_ref().map(|kinds| kinds.contains(&Claude)),
        priority: priority.map(git_priority_of),
        service: service_change(provider, &provider_configuration)?,
        child_directories: child_installation_project_directories.unwrap_or_default(),
    })
}

/// Reads the configuration of a service. The contract permits the fields of both services in any
/// combination.
fn service_change(provider: GitProvider, given: &Value) -> Result<ServiceChange> {
    let at = FieldPath::new("/providerConfiguration");
    let given = given.as_object().ok_or_else(|| at.invalid("allowed: an object"))?;
    let (fields, number) = match provider {
        GitProvider::Gitlab => (&GITLAB_FIELDS[..], "projectId"),
        GitProvider::Github => (&GITHUB_FIELDS[..], "repositoryId"),
    };
    let is_foreign = |name: &&str| given.contains_key(*name) && !fields.contains(name);
    if let Some(name) = GITLAB_FIELDS.iter().chain(&GITHUB_FIELDS).find(|name| is_foreign(name)) {
        return Err(at
            .field(name)
            .invalid(format_args!("not allowed for the service \"{}\"", provider.as_str())));
    }
    let repository = match given.get(number) {
        None => None,
        Some(value) => Some(
            value
                .as_i64()
                .filter(|number| *number > 0)
                .ok_or_else(|| at.field(number).invalid("allowed: a whole number of 1 or more"))?,
        ),
    };
    let instance = match given.get("customInstanceURL") {
        None => None,
        Some(Value::Null) => Some(None),
        Some(_) => Some(text(&at, given, "customInstanceURL")?),
    };
    Ok(ServiceChange {
        repository,
        token: text(&at, given, "accessToken")?,
        instance,
        branch: text(&at, given, "branch")?,
    })
}

fn text(at: &FieldPath, given: &Map<String, Value>, name: &str) -> Result<Option<String>> {
    match given.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(at.field(name).invalid("allowed: a text")),
    }
}

/// Answers that the folder of a space in the repository is not known.
fn missing_configuration(missing: MissingConfiguration) -> Result<Reply> {
    let MissingConfiguration { path, branch, spaces } = missing;
    let message = "the folders of some spaces in the repository are not known: name them in \
                   childInstallationProjectDirectories";
    let directories: Map<String, Value> =
        spaces.into_iter().map(|space| (space, Value::String("folder".to_owned()))).collect();
    let example = json!({ "childInstallationProjectDirectories": directories }).to_string();
    let prompt = format!(
        "Find the folder of each space in the repository, each with a .gitbook.yaml or a \
         README.md of its own, and repeat the request with {example}"
    );
    let details = json!({ "path": path, "branch": branch, "prompt": prompt });
    let error = json!({
        "code": 409, "message": message, "type": "missing_site_git_sync_config",
        "details": details,
    });
    Reply::json(409, &json!({ "error": error }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_have_the_fields_of_their_service() {
        use GitProvider::{Github, Gitlab};
        for (provider, given, field) in [
            (Gitlab, json!({ "repositoryId": 1 }), "repositoryId"),
            (Github, json!({ "projectId": 1 }), "projectId"),
            (Github, json!({ "accessToken": "x" }), "accessToken"),
            (Github, json!({ "customInstanceURL": null }), "customInstanceURL"),
            (Gitlab, json!({ "projectId": 0 }), "projectId"),
            (Gitlab, json!({ "projectId": 1.5 }), "projectId"),
            (Gitlab, json!({ "projectId": -7 }), "projectId"),
            (Github, json!({ "repositoryId": 1e300 }), "repositoryId"),
            (Gitlab, json!({ "accessToken": 1 }), "accessToken"),
            (Gitlab, json!({ "customInstanceURL": 1 }), "customInstanceURL"),
            (Gitlab, json!({ "branch": {} }), "branch"),
        ] {
            let error = service_change(provider, &given).unwrap_err().to_string();
            assert!(error.contains(field), "{given}: {error}");
        }
        assert!(service_change(Gitlab, &json!([])).is_err());
        let change = service_change(Gitlab, &json!({ "projectId": 7, "customInstanceURL": null }));
        let change = change.unwrap();
        assert_eq!((change.repository, change.instance), (Some(7), Some(None)));
    }
}
