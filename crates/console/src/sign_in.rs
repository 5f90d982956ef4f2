//! Signing in.

use bindery_app::sessions;
use bindery_app::sign_in::{self, Proof, SignedIn};
use bindery_http::Response;
use bindery_model::{Error, ErrorKind, Result};

use crate::form::Form;
use crate::view::{self, Note};
use crate::visit::Visit;

/// Shows the page with the sign-in forms.
pub(crate) async fn show(visit: &Visit) -> Result<Response> {
    if visit.is_signed_in().await? {
        return Ok(view::go_to(visit.next.as_deref().unwrap_or("/app")));
    }
    Ok(view::sign_in(visit, 200, "", None))
}

/// Signs in with a password or a token, or mails a sign-in link.
pub(crate) async fn submit(visit: &Visit, form: &Form) -> Result<Response> {
    let email = form.get("email");
    if form.get("with") == "link" {
        return Ok(match sign_in::mail_link(&visit.app, email, &visit.asker).await {
            Ok(()) => view::sign_in(
                visit,
                200,
                email,
                Some(Note::Said(
                    "If there is an account with this address, a mail with a link is on its way. The \
                 link works for 15 minutes.",
                )),
            ),
            Err(error) => refused(visit, email, &error)?,
        });
    }
    let proof = match form.given("token") {
        Some(token) => Proof::Token(token.trim().to_owned()),
        None => {
            Proof::Password { email: email.to_owned(), password: form.get("password").to_owned() }
        }
    };
    match enter(visit, proof).await {
        Ok(response) => Ok(response),
        Err(error) => refused(visit, email, &error),
    }
}

/// Shows the forms again with an error message.
fn refused(visit: &Visit, email: &str, error: &Error) -> Result<Response> {
    let words = match error.kind() {
        ErrorKind::Invalid => "This is not a mail address.",
        ErrorKind::Unauthenticated if visit.app.mailer.is_some() => {
            "These credentials are wrong. Check them, or request a sign-in link by mail."
        }
        ErrorKind::Unauthenticated => {
            "These credentials are wrong. Check them, or ask the operator of this server for a link."
        }
        ErrorKind::Forbidden => {
            "This token is limited. Only a token without limits can start a session."
        }
        ErrorKind::Conflict => "This server does not send mail.",
        ErrorKind::RateLimited => "There were too many attempts. Wait a few minutes.",
        _ => return Err(error.clone()),
    };
    let status = view::status(error.kind());
    let page = view::sign_in(visit, status, email, Some(Note::Refused(words)));
    Ok(view::with_wait(page, error))
}

async fn enter(visit: &Visit, proof: Proof) -> Result<Response> {
    let signed = sign_in::sign_in(&visit.app, proof, visit.asker.clone()).await?;
    let next = visit.next.as_deref().unwrap_or("/app");
    Ok(signed_in(visit, &signed, next))
}

/// Redirects to `next` in a new session.
pub(crate) fn signed_in(visit: &Visit, signed: &SignedIn, next: &str) -> Response {
    let session = visit.cookie().set(&signed.begun.secret, sessions::LONGEST_SECONDS);
    let response = view::with_cookie(view::go_to(next), &session);
    view::with_cookie(response, &visit.device_cookie().set(&signed.device))
}

/// Asks for confirmation before a link is used, because mail scanners open the links in mails.
pub(crate) async fn show_link(visit: &Visit, secret: &str) -> Result<Response> {
    let text = secret.to_owned();
    let user = visit.read(move |cx| sign_in::show(cx.tx, cx.app, &text)).await?;
    Ok(match user {
        Some(user) => view::link(visit, &user, secret),
        None => to_invitation(visit, secret).await?.unwrap_or_else(|| used(visit)),
    })
}

/// Redirects to the invitation of a person with an account, if the link belongs to one.
async fn to_invitation(visit: &Visit, secret: &str) -> Result<Option<Response>> {
    let text = secret.to_owned();
    let found = visit.read(move |cx| sign_in::leads_to_invitation(cx.tx, cx.app, &text)).await?;
    Ok(found.map(|secret| view::go_to(&format!("/app/invitations/{secret}"))))
}

pub(crate) async fn follow_link(visit: &Visit, secret: &str) -> Result<Response> {
    match enter(visit, Proof::Link(secret.to_owned())).await {
        Err(error) if error.kind() == ErrorKind::Unauthenticated => {
            Ok(to_invitation(visit, secret).await?.unwrap_or_else(|| used(visit)))
        }
        answer => answer,
    }
}

fn used(visit: &Visit) -> Response {
    view::sign_in(
        visit,
        404,
        "",
        Some(Note::Refused("This link was used before, or it has expired. Sign in another way.")),
    )
}
