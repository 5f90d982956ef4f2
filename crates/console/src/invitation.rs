//! Following an invitation.

use bindery_app::organization_invites::{self, Accept};
use bindery_app::sessions::{self, Way};
use bindery_app::users;
use bindery_http::Response;
use bindery_model::{ErrorKind, Result};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

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
        (None, None) => Invited::IsNew,
        (Some(_), None) => {
            let here = format!("/app/invitations/{secret}");
            let here = utf8_percent_encode(&here, NON_ALPHANUMERIC);
            return Ok(view::go_to(&format!("/app/sign-in?next={here}")));
        }
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
        let at = (&*cx.app.entropy, cx.now());
        let how = (Way::Link, accepted.lineage);
        let begun = sessions::begin(cx.tx, at, accepted.user.id, how, &asker)?;
        Ok(Some(begun.secret))
    });
    match accepted.await {
        Ok(Some(secret)) => Ok(signed_in(visit, &secret, "/app")),
        Ok(None) => Ok(view::go_to("/app")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(gone(visit)),
        Err(error) => Err(error),
    }
}

fn gone(visit: &Visit) -> Response {
    view::state(
        visit,
        404,
        "No invitation",
        "This invitation was accepted, taken back, or its time is over. Ask whoever invited you \
         for another.",
    )
}
