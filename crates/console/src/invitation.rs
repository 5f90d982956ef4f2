//! Showing and accepting an invitation.

use bindery_app::organization_invites::{self, Accept};
use bindery_app::secrets::InvitedBy;
use bindery_app::sessions::SignInMethod;
use bindery_app::{sign_in, users};
use bindery_http::Response;
use bindery_model::{ErrorKind, Result};

use crate::form::Form;
use crate::sign_in::signed_in;
use crate::view::{self, Invited};
use crate::visit::Visit;

pub(crate) async fn show(visit: &Visit, secret: &str) -> Result<Response> {
    let text = secret.to_owned();
    let found = visit.read(move |cx| {
        let Some(shown) = organization_invites::show_invitation(cx, &text)? else {
            return Ok(None);
        };
        let me = match cx.user() {
            Some(_) => Some(users::caller(cx)?),
            None => None,
        };
        Ok(Some((shown, me)))
    });
    let Some((shown, me)) = found.await? else { return Ok(gone(visit)) };
    let how = match (shown.account, me) {
        (Some(account), Some(me)) if account == me.id => Invited::Accepts,
        (_, Some(me)) => Invited::IsAnother(me.email),
        // The recipient of the mail may learn whether the address has an account. A person who got
        // the invitation in another way, and the inviter, may not.
        (Some(_), None) if shown.way == InvitedBy::Mail => return Ok(sign_in_first(secret)),
        (_, None) => Invited::IsNobody(sign_in_address(secret)),
    };
    Ok(view::invitation(visit, &shown, &how, secret))
}

pub(crate) async fn accept(visit: &Visit, secret: &str, form: &Form) -> Result<Response> {
    let is_signed_in = visit.is_signed_in().await?;
    if is_signed_in {
        visit.require_own(form)?;
    }
    let name = form.given("name").map(str::to_owned);
    let how = Accept { secret: secret.to_owned(), display_name: name, token: false };
    let asker = visit.asker.clone();
    let accepted = visit.write(move |cx| {
        let accepted = organization_invites::accept(cx, &how)?;
        if is_signed_in {
            return Ok(None);
        }
        let how = (SignInMethod::Link, accepted.lineage);
        let signed = sign_in::begin(cx.tx, cx.app, &accepted.user, how, &asker)?;
        Ok(Some(signed))
    });
    match accepted.await {
        Ok(Some(signed)) => Ok(signed_in(visit, &signed, "/app")),
        Ok(None) => Ok(view::go_to("/app")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(gone(visit)),
        Err(error) if error.kind() == ErrorKind::Unauthenticated => Ok(sign_in_first(secret)),
        Err(error) => Err(error),
    }
}

fn sign_in_first(secret: &str) -> Response {
    view::go_to(&sign_in_address(secret))
}

/// Returns the address of the sign-in page that leads back to the invitation.
fn sign_in_address(secret: &str) -> String {
    view::sign_in_for(&format!("/app/invitations/{secret}"))
}

fn gone(visit: &Visit) -> Response {
    view::state(
        visit,
        404,
        "No invitation",
        "This invitation was accepted or withdrawn, or it has expired. Ask the person who \
         invited you for a new one.",
    )
}
