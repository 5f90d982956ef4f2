//! Signing in.

use bindery_app::people::sessions;
use bindery_app::people::sign_in::{self, Proof, SignedIn};
use bindery_http::Response;
use bindery_model::{Error, ErrorKind, Result};

use crate::form::Form;
use crate::request::PageRequest;
use crate::view::{self, Note};

/// Shows the page with the sign-in forms.
pub(crate) async fn show(request: &PageRequest) -> Result<Response> {
    if request.is_signed_in().await? {
        return Ok(view::redirect(request.next.as_deref().unwrap_or("/app")));
    }
    Ok(view::sign_in(request, 200, "", None))
}

/// Signs in with a password or a token, or mails a sign-in link.
pub(crate) async fn submit(request: &PageRequest, form: &Form) -> Result<Response> {
    let email = form.get("email");
    if form.get("with") == "link" {
        return Ok(match sign_in::mail_link(&request.app, email, &request.client).await {
            Ok(()) => view::sign_in(
                request,
                200,
                email,
                Some(Note::Success(
                    "If there is an account with this address, a mail with a link is on its way. The \
                 link works for 15 minutes.",
                )),
            ),
            Err(error) => refused(request, email, &error)?,
        });
    }
    let proof = match form.non_empty("token") {
        Some(token) => Proof::Token(token.trim().to_owned()),
        None => {
            Proof::Password { email: email.to_owned(), password: form.get("password").to_owned() }
        }
    };
    match enter(request, proof).await {
        Ok(response) => Ok(response),
        Err(error) => refused(request, email, &error),
    }
}

/// Shows the forms again with an error message.
fn refused(request: &PageRequest, email: &str, error: &Error) -> Result<Response> {
    let message = match error.kind() {
        ErrorKind::Invalid => "This is not an email address.",
        ErrorKind::Unauthenticated if request.app.mailer.is_some() => {
            "The email address, the password or the token is wrong. You can also request a sign-in link by mail."
        }
        ErrorKind::Unauthenticated => {
            "The email address, the password or the token is wrong. The operator of this server can give you a sign-in link."
        }
        ErrorKind::Forbidden => {
            "This token is limited. Only a token without limits can start a session."
        }
        ErrorKind::Conflict => "This server does not send mail.",
        ErrorKind::RateLimited => "There were too many attempts. Wait a few minutes.",
        _ => return Err(error.clone()),
    };
    let status = view::status(error.kind());
    let page = view::sign_in(request, status, email, Some(Note::Refused(message)));
    Ok(view::with_retry_after(page, error))
}

async fn enter(request: &PageRequest, proof: Proof) -> Result<Response> {
    let signed = sign_in::sign_in(&request.app, proof, request.client.clone()).await?;
    let next = request.next.as_deref().unwrap_or("/app");
    Ok(signed_in(request, &signed, next))
}

/// Redirects to `next` in a new session.
pub(crate) fn signed_in(request: &PageRequest, signed: &SignedIn, next: &str) -> Response {
    let session = request.cookie().set(&signed.new_session.secret, sessions::LONGEST_SECONDS);
    let response = view::with_cookie(view::redirect(next), &session);
    view::with_cookie(response, &request.device_cookie().set(&signed.device))
}

/// Asks for confirmation before a link is used, because mail scanners open the links in mails.
pub(crate) async fn show_link(request: &PageRequest, secret: &str) -> Result<Response> {
    let text = secret.to_owned();
    let user = request.read(move |cx| sign_in::show(cx.tx, cx.app, &text)).await?;
    Ok(match user {
        Some(user) => view::link(&user, secret),
        None => to_invitation(request, secret).await?.unwrap_or_else(|| link_expired(request)),
    })
}

/// Redirects to the invitation of a person with an account, if the link belongs to one.
async fn to_invitation(request: &PageRequest, secret: &str) -> Result<Option<Response>> {
    let text = secret.to_owned();
    let found = request.read(move |cx| sign_in::leads_to_invitation(cx.tx, cx.app, &text)).await?;
    Ok(found.map(|secret| view::redirect(&format!("/app/invitations/{secret}"))))
}

pub(crate) async fn follow_link(request: &PageRequest, secret: &str) -> Result<Response> {
    match enter(request, Proof::Link(secret.to_owned())).await {
        Err(error) if error.kind() == ErrorKind::Unauthenticated => {
            Ok(to_invitation(request, secret).await?.unwrap_or_else(|| link_expired(request)))
        }
        answer => answer,
    }
}

fn link_expired(request: &PageRequest) -> Response {
    view::sign_in(
        request,
        404,
        "",
        Some(Note::Refused("This link was used before, or it has expired. Sign in another way.")),
    )
}
