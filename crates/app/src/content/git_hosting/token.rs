//! The tokens with which the interfaces of hosting services are called.

use bindery_model::OrganizationId;

use crate::App;
use crate::content::git_requests::GitRequestPayload;
use crate::jobs::JobFailure;

/// Returns the token of a request of a synchronisation: the password of its credentials, or one
/// that GitHub gives to the App of the operator. `organization` owns the space. Blocks, so it runs
/// in jobs only.
///
/// # Errors
/// Returns the failure of the job if the request has no password, as with SSH, or GitHub gives no
/// token.
pub(in crate::content) fn token(
    app: &App,
    request: &GitRequestPayload,
    organization: OrganizationId,
) -> Result<String, JobFailure> {
    let remote = request.remote(app, organization)?;
    let token = remote.credentials.as_ref().map(|credentials| credentials.expose().1);
    token.filter(|token| !token.is_empty()).map(str::to_owned).ok_or_else(|| {
        JobFailure::fatal(
            "needs-credentials",
            "the interface of the hosting service needs an access token, which the credentials of \
             the synchronisation lack; allowed: credentials of the kind token or basic",
        )
    })
}
