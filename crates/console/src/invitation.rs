//! Showing and accepting an invitation.

use bindery_app::people::organization_invites::{self, Accept};
use bindery_app::people::sessions::SignInMethod;
use bindery_app::secrets::InvitedBy;
use bindery_app::{people::sign_in, people::users};
use bindery_http::Response;
use bindery_model::{ErrorKind, Result};

use crate::form::Form;
use crate::request::PageRequest;
use crate::sign_in::signed_in;
use crate::view::{self, InvitationViewer};

pub(crate) async fn show(request: &PageRequest, secret: &str) -> Result<Response> {
    let text = secret.to_owned();
    let found = request.read(move |cx| {
        let Some(shown) = organization_invites::invitation_details(cx, &text)? else {
            return Ok(None);
        };
        let me = match cx.user() {
            Some(_) => Some(users::caller(cx)?),
            None => None,
        };
        Ok(Some((shown, me)))
    });
    let Some((shown, me)) = found.await? else { return Ok(invitation_expired()) };
    let how = match (shown.account, me) {
        (Some(account), Some(me)) if account == me.id => InvitationViewer::Invitee,
        (_, Some(me)) => InvitationViewer::OtherAccount(me.email),
        // The recipient of the mail may learn whether the address has an account. A person who got
        // the invitation in another way, and the inviter, may not.
        (Some(_), None) if shown.way == InvitedBy::Mail => return Ok(sign_in_first(secret)),
        (_, None) => InvitationViewer::SignedOut(sign_in_address(secret)),
    };
    Ok(view::invitation(request, &shown, &how, secret))
}

pub(crate) async fn accept(request: &PageRequest, secret: &str, form: &Form) -> Result<Response> {
    let is_signed_in = request.is_signed_in().await?;
    if is_signed_in {
        request.check_csrf(form)?;
    }
    let name = form.non_empty("name").map(str::to_owned);
    let how = Accept { secret: secret.to_owned(), display_name: name, token: false };
    let client = request.client.clone();
    let accepted = request.write(move |cx| {
        let accepted = organization_invites::accept(cx, &how)?;
        if is_signed_in {
            return Ok(None);
        }
        let how = (SignInMethod::Link, accepted.lineage);
        let signed = sign_in::begin(cx.tx, cx.app, &accepted.user, how, &client)?;
        Ok(Some(signed))
    });
    match accepted.await {
        Ok(Some(signed)) => Ok(signed_in(request, &signed, "/app")),
        Ok(None) => Ok(view::redirect("/app")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(invitation_expired()),
        Err(error) if error.kind() == ErrorKind::Unauthenticated => Ok(sign_in_first(secret)),
        Err(error) => Err(error),
    }
}

fn sign_in_first(secret: &str) -> Response {
    view::redirect(&sign_in_address(secret))
}

/// Returns the address of the sign-in page that leads back to the invitation.
fn sign_in_address(secret: &str) -> String {
    view::sign_in_for(&format!("/app/invitations/{secret}"))
}

fn invitation_expired() -> Response {
    view::message_page(
        404,
        "No invitation",
        "This invitation was accepted or withdrawn, or it has expired. Ask the person who \
         invited you for a new one.",
    )
}
