//! The job that registers the webhook of an installation at GitLab, or removes it.
//!
//! A webhook leads to the synchronisation of one space, and is known by the id at the end of its
//! address. A GitHub App has one webhook for all installations, which its operator sets up.

use bindery_model::{GitProvider, GitSyncId, JobKind, OrganizationId, SpaceId, UserId};
use bindery_outbound::{Guard, Url};
use bindery_store::git_installations::{self, GitInstallation};
use bindery_store::git_syncs::{self, GitSync};
use bindery_store::{Job, NewJob, StoreError, Tx, spaces};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;

use crate::content::git_hosting::{HostedPlace, HostingClient, HostingError, Webhook, token};
use crate::content::git_requests::{GitRequestPayload, UNREADABLE, opened};
use crate::jobs::{self, BackgroundJob, JobFailure, RunningJob};
use crate::{App, Context};

/// Maximum number of attempts while the service does not answer.
const ATTEMPTS: u32 = 5;

const SET: &str = "the webhook is registered";
const REMOVED: &str = "the webhook was removed";
const ENDED: &str = "nothing to do: the space has no installation of GitLab any more";
const PRIVATE: &str = "nothing to do: the service cannot reach the address of this server; new \
                       commits are found by the regular check";

/// The job that registers or removes a webhook.
pub(crate) struct GitWebhookJob;

/// The payload of the job.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
pub(crate) enum WebhookPayload {
    /// Registers the webhook of the space of the job.
    Set {
        /// The address that receives the events.
        url: String,
    },
    /// Removes a webhook, whose installation may not exist any more.
    Remove {
        /// The place of the project.
        installation: RemovedInstallation,
        /// The synchronisation to which the webhook leads.
        sync: GitSyncId,
    },
}

/// The part of an installation with which its webhook is removed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RemovedInstallation {
    instance: Option<String>,
    project: i64,
    /// The access token, sealed.
    token: String,
}

/// Registers the webhook of the synchronisation of an installation after this transaction.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) fn set(
    cx: &Context<'_>,
    installation: &GitInstallation,
    sync: &GitSync,
) -> Result<(), StoreError> {
    if installation.provider != GitProvider::Gitlab {
        return Ok(());
    }
    let url = cx.app.urls.api(path(sync.id));
    enqueue(cx.tx, sync.space, cx.user(), &WebhookPayload::Set { url })
}

/// Removes the webhook of the synchronisation of an installation after this transaction.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) fn remove(
    tx: &Tx<'_>,
    installation: &GitInstallation,
    actor: Option<UserId>,
) -> Result<(), StoreError> {
    let Some(space) = installation.space else { return Ok(()) };
    if installation.provider != GitProvider::Gitlab {
        return Ok(());
    }
    let Some(sync) = git_syncs::get(tx, space)? else { return Ok(()) };
    let parent =
        installation.parent.map(|parent| git_installations::get(tx, parent)).transpose()?;
    // Only the installation of a site has the token of its spaces.
    let owner = parent.flatten().unwrap_or_else(|| installation.clone());
    let (Some(project), Some(token)) = (owner.repository, owner.token) else { return Ok(()) };
    let installation = RemovedInstallation { instance: owner.instance, project, token };
    enqueue(tx, space, actor, &WebhookPayload::Remove { installation, sync: sync.id })
}

/// Removes the webhook of a space that will be removed in this transaction.
///
/// # Errors
/// Returns an error if the store fails.
pub(in crate::content) fn remove_of_space(tx: &Tx<'_>, space: SpaceId) -> Result<(), StoreError> {
    match git_installations::get_by_space(tx, space)? {
        Some(installation) => remove(tx, &installation, None),
        None => Ok(()),
    }
}

/// Removes the webhooks of an installation and those of the spaces of its site.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) fn remove_all(
    tx: &Tx<'_>,
    installation: &GitInstallation,
    actor: Option<UserId>,
) -> Result<(), StoreError> {
    for child in git_installations::list_children(tx, installation.id)? {
        remove(tx, &child, actor)?;
    }
    remove(tx, installation, actor)
}

fn enqueue(
    tx: &Tx<'_>,
    space: SpaceId,
    actor: Option<UserId>,
    payload: &WebhookPayload,
) -> Result<(), StoreError> {
    let Some(found) = spaces::get(tx, space)? else { return Ok(()) };
    let job = jobs::new_job::<GitWebhookJob>(payload)
        .map_err(|error| StoreError::Corrupt(error.to_string()))?;
    // A space that was deleted is removed with its jobs.
    let space = Some(space).filter(|_| found.deleted_at.is_none());
    tx.enqueue(&NewJob { organization: Some(found.organization), space, actor, ..job })?;
    Ok(())
}

/// Returns the path of the address that receives the events for a synchronisation.
fn path(sync: GitSyncId) -> String {
    format!("/bindery/hooks/git/{sync}")
}

impl BackgroundJob for GitWebhookJob {
    const KIND: JobKind = JobKind::GitWebhook;
    const MAX_ATTEMPTS: u32 = ATTEMPTS;
    const PAYLOAD_ERROR: &str = UNREADABLE;
    type Payload = WebhookPayload;

    fn run(
        app: &App,
        job: &Job,
        payload: WebhookPayload,
        running: &RunningJob,
    ) -> Result<(), JobFailure> {
        let message = match payload {
            WebhookPayload::Set { url } => register(app, job, &url)?,
            WebhookPayload::Remove { installation, sync } => unregister(app, installation, sync)?,
        };
        let lease = running.lease.clone();
        let ended = app.store.write(move |tx| {
            tx.set_job_message(&lease, message)?;
            tx.finish_job(&lease, None)
        });
        Ok(Handle::current().block_on(ended)?)
    }
}

/// Registers the webhook of the space of a job, and returns the message of the job.
fn register(app: &App, job: &Job, url: &str) -> Result<&'static str, JobFailure> {
    let unreadable = || JobFailure::fatal("internal", UNREADABLE);
    let organization: OrganizationId = job.organization.ok_or_else(unreadable)?;
    let Some(space) = job.space else { return Ok(ENDED) };
    let (installation, sync) = app.store.read_sync(|tx| {
        let installation = git_installations::get_by_space(tx, space)?;
        Ok::<_, StoreError>((installation, git_syncs::get(tx, space)?))
    })?;
    let (Some(installation), Some(sync)) = (installation, sync) else { return Ok(ENDED) };
    let place = HostedPlace::of_installation(app, &installation);
    let is_gitlab = installation.provider == GitProvider::Gitlab;
    let Some(place) = place.filter(|_| is_gitlab) else { return Ok(ENDED) };
    if !can_reach(&place.api, url) {
        return Ok(PRIVATE);
    }
    let token = token(app, &GitRequestPayload::of_sync(&sync), organization)?;
    let secret = opened(app, &sync.settings.webhook_secret)?;
    let hook = Webhook { url, path: &path(sync.id), secret: &secret };
    let client = HostingClient::new(app, &place, &token);
    Handle::current().block_on(client.set_webhook(&hook)).map_err(failure)?;
    Ok(SET)
}

/// Removes the webhook of an installation, and returns the message of the job.
fn unregister(
    app: &App,
    installation: RemovedInstallation,
    sync: GitSyncId,
) -> Result<&'static str, JobFailure> {
    let RemovedInstallation { instance, project, token } = installation;
    let place = HostedPlace::of_project(instance.as_deref(), project)
        .ok_or_else(|| JobFailure::fatal("internal", UNREADABLE))?;
    let token = opened(app, &token)?;
    let client = HostingClient::new(app, &place, &token);
    Handle::current().block_on(client.delete_webhooks(&path(sync))).map_err(failure)?;
    Ok(REMOVED)
}

/// Returns `true` unless the address of a webhook is in a private network, and the service on the
/// public internet.
fn can_reach(service: &Url, hook: &str) -> bool {
    let public = Guard::public_only();
    Url::parse(hook)
        .is_ok_and(|hook| public.check_url(&hook).is_ok() || public.check_url(service).is_err())
}

fn failure(error: HostingError) -> JobFailure {
    match error {
        HostingError::Refused { .. } | HostingError::Missing { .. } => JobFailure::fatal(
            "needs-credentials",
            format!(
                "{error}; webhooks need a token with the role Maintainer and the scope api. New \
                 commits are found by the regular check"
            ),
        ),
        error => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_services_reach_public_addresses_only() {
        for (service, hook, expect) in [
            ("https://gitlab.com/api/v4", "https://docs.example/v1/x", true),
            ("https://gitlab.com/api/v4", "http://203.0.113.7/v1/x", false),
            ("https://gitlab.com/api/v4", "http://8.8.8.8/v1/x", true),
            ("https://gitlab.com/api/v4", "http://127.0.0.1:8080/v1/x", false),
            ("https://gitlab.com/api/v4", "http://localhost:8080/v1/x", false),
            ("http://127.0.0.1:3000/api/v4", "http://127.0.0.1:8080/v1/x", true),
            ("http://10.0.0.1/api/v4", "https://docs.example/v1/x", true),
            ("https://gitlab.com/api/v4", "no address", false),
        ] {
            let service = Url::parse(service).unwrap();
            assert_eq!(can_reach(&service, hook), expect, "{service} {hook}");
        }
    }
}
