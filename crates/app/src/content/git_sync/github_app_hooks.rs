//! Events that GitHub reports to the App of the operator, for all its repositories.

use bindery_model::{Error, ErrorKind, GitProvider, Result};
use bindery_store::{Tx, git_installations, git_syncs};
use serde::Deserialize;

use super::hooks::{self, DeliveredEvent, NO_SECRET, Verified};
use crate::App;
use crate::content::git_branches;

/// The name that takes the place of the id of a synchronisation in the address of the webhook.
pub(super) const ID: &str = "github-app";

/// The part of an event that is read.
#[derive(Deserialize)]
struct AppEvent {
    #[serde(rename = "ref")]
    reference: Option<String>,
    /// Absent in events that concern no repository.
    repository: Option<Repository>,
}

#[derive(Deserialize)]
struct Repository {
    id: i64,
}

/// Receives an event, and starts a run of each synchronisation of an installation with the
/// repository whose branch was pushed to.
///
/// # Errors
/// Returns 404 if the App has no secret for events; 401 if the event is not signed with it; 400 if
/// its body is no JSON object; 409 if all synchronisations received it before.
pub(super) async fn receive(app: &App, event: &DeliveredEvent) -> Result<()> {
    let secret = app.github.as_ref().and_then(|github| github.webhook_secret());
    let verified = hooks::verify(secret.unwrap_or(NO_SECRET), event, app.clock.now());
    if secret.is_none() {
        return Err(Error::not_found("synchronisation"));
    }
    let Verified { digests, is_change } = verified.ok_or_else(|| {
        Error::unauthenticated("the event is not signed with the secret of the GitHub App")
    })?;
    if !is_change {
        return Ok(());
    }
    let AppEvent { reference, repository } = serde_json::from_slice(&event.body)
        .map_err(|_| Error::invalid("body: allowed: a JSON object as GitHub sends it"))?;
    let Some(Repository { id }) = repository else { return Ok(()) };
    let accept = move |tx: &Tx<'_>| accept(tx, id, reference.as_deref(), &digests);
    app.store.write(accept).await
}

/// Remembers an event for each synchronisation that follows the branch, and requests its run.
fn accept(
    tx: &Tx<'_>,
    repository: i64,
    reference: Option<&str>,
    digests: &[[u8; 32]],
) -> Result<()> {
    let (mut is_new, mut is_known) = (false, false);
    for installation in git_installations::list_by_repository(tx, GitProvider::Github, repository)?
    {
        let Some(space) = installation.space else { continue };
        let Some(sync) = git_syncs::get(tx, space)? else { continue };
        if let Some(reference) = reference
            && reference != sync.settings.reference
            && !git_branches::is_followed(tx, &sync, reference)?
        {
            continue;
        }
        match hooks::accept(tx, Some(sync.id), digests) {
            Ok(()) => is_new = true,
            Err(error) if error.kind() == ErrorKind::Conflict => is_known = true,
            // A space that was deleted, or that has received too many events.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::RateLimited) => {}
            Err(error) => return Err(error),
        }
    }
    if is_known && !is_new {
        return Err(Error::conflict("this event was received before"));
    }
    Ok(())
}
