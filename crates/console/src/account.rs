//! The account page: the signed-in user, their sessions and password.

use bindery_app::access::{Action, SignedIn, authorize_target};
use bindery_app::people::sign_in::{self, NewPassword};
use bindery_app::{people::sessions, people::users};
use bindery_http::Response;
use bindery_model::{Error, ErrorKind, Result};

use crate::form::Form;
use crate::request::PageRequest;
use crate::view::{self, Account, Note};

/// Maximum number of sessions on the page.
const MAX_SESSIONS: u32 = 100;

pub(crate) async fn show(request: &PageRequest) -> Result<Response> {
    page(request, 200, None).await
}

async fn page(request: &PageRequest, status: u16, note: Option<Note>) -> Result<Response> {
    if !request.is_signed_in().await? {
        return Ok(view::redirect("/app/sign-in"));
    }
    let account = request
        .read(|cx| {
            let user = users::caller(cx)?;
            let (sessions, _) = sessions::list(cx, None, MAX_SESSIONS)?;
            let has_password = sign_in::has_password(cx)?;
            Ok(Account { user, sessions, current: sessions::current_id(cx), has_password })
        })
        .await?;
    Ok(view::account(request, status, &account, note))
}

pub(crate) async fn sign_out(request: &PageRequest, form: &Form) -> Result<Response> {
    request.check_csrf(form)?;
    if request.is_signed_in().await? {
        let end = request.write(|cx| {
            let caller =
                authorize_target::<SignedIn>(cx.tx, cx.caller, Action::ActAsSelf, Some(&()))?;
            sessions::end(cx, &caller, sessions::current(cx)?.id.as_str())
        });
        end.await?;
    }
    Ok(view::with_cookie(view::redirect("/app/sign-in"), &request.cookie().clear()))
}

/// Ends one session, or all other sessions.
pub(crate) async fn end_session(request: &PageRequest, form: &Form) -> Result<Response> {
    request.check_csrf(form)?;
    let session = form.non_empty("session").map(str::to_owned);
    let end = request.write(move |cx| {
        let caller = authorize_target::<SignedIn>(cx.tx, cx.caller, Action::ManageSelf, Some(&()))?;
        match &session {
            None => sessions::end_others(cx, &caller),
            Some(session) => match sessions::end(cx, &caller, session) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                ended => ended,
            },
        }
    });
    end.await?;
    Ok(view::redirect("/app/account"))
}

pub(crate) async fn set_password(request: &PageRequest, form: &Form) -> Result<Response> {
    request.check_csrf(form)?;
    let new = NewPassword {
        password: form.get("password").to_owned(),
        current: form.non_empty("current").map(str::to_owned),
    };
    let (credentials, client) = (request.credentials(), request.client.clone());
    match sign_in::set_password(&request.app, credentials, client, new).await {
        Ok(()) => {
            page(
                request,
                200,
                Some(Note::Success("The password is set. Other sessions have ended.")),
            )
            .await
        }
        Err(error) => {
            let note = refusal(&error)?;
            let refused = page(request, view::status(error.kind()), Some(note)).await?;
            Ok(view::with_retry_after(refused, &error))
        }
    }
}

fn refusal(error: &Error) -> Result<Note> {
    Ok(match error.kind() {
        ErrorKind::Invalid => Note::Refused(
            "This password is too short, too long or guessed too easily. Choose 10 to 256 \
             characters that are on no list of passwords, such as four random words.",
        ),
        ErrorKind::Forbidden => Note::Refused("The current password is wrong."),
        ErrorKind::Conflict => Note::Refused("Enter the current password too."),
        ErrorKind::RateLimited => {
            Note::Refused("There were too many attempts. Wait a few minutes.")
        }
        _ => return Err(error.clone()),
    })
}
