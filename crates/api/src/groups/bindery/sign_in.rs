//! `signIn`, `sendSignInLink`, `signOut`, `setPassword`, `deletePassword`: sessions of browsers and
//! passwords.

use std::sync::Arc;

use bindery_app::access::{Action, Anyone, Authorized, SignedIn};
use bindery_app::people::sign_in::{self, NewPassword, Proof};
use bindery_app::{App, Context, people::sessions};
use bindery_http::{DeviceCookie, SessionCookie};
use bindery_model::{Error, Result};
use bindery_wire::request::{SendSignInLink, SetPassword, SignIn};

use crate::call::Call;
use crate::operation::{Operation, act, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        act::<Anyone, _>("signIn", Action::Call, sign_in),
        act::<Anyone, _>("sendSignInLink", Action::Call, send_link),
        write("signOut", Action::ActAsSelf, sign_out),
        act::<SignedIn, _>("setPassword", Action::ManageSelf, set_password),
        write("deletePassword", Action::ManageSelf, delete_password),
    ]
}

fn proof(body: SignIn) -> Result<Proof> {
    match body {
        SignIn { email: Some(email), password: Some(password), link: None, token: None } => {
            Ok(Proof::Password { email, password })
        }
        SignIn { link: Some(link), email: None, password: None, token: None } => {
            Ok(Proof::Link(link))
        }
        SignIn { token: Some(token), email: None, password: None, link: None } => {
            Ok(Proof::Token(token))
        }
        _ => Err(Error::invalid("body: allowed: email and password, or link, or token")),
    }
}

/// Refuses requests from pages of other origins. Sessions and sign-in links are only for pages of
/// this server, and for clients that are no browsers.
fn refuse_foreign(call: &Call) -> Result<()> {
    if call.is_cross_origin {
        return Err(Error::forbidden("header \"Origin\": pages of other origins cannot sign in"));
    }
    Ok(())
}

async fn sign_in(app: Arc<App>, call: Arc<Call>) -> Result<Reply> {
    refuse_foreign(&call)?;
    let signed = sign_in::sign_in(&app, proof(call.body()?)?, call.client.clone()).await?;
    let secure = app.urls.secure();
    let (secret, cookie) = (signed.new_session.secret, SessionCookie { secure });
    let body = present::current_session(&app, signed.user, signed.new_session.session, &secret);
    let location = app.urls.api("/bindery/session");
    Ok(Reply::json(201, &body)?
        .with_location(location)
        .with_cookie(cookie.set(&secret, sessions::LONGEST_SECONDS))
        .with_cookie(DeviceCookie { secure }.set(&signed.device)))
}

async fn send_link(app: Arc<App>, call: Arc<Call>) -> Result<Reply> {
    refuse_foreign(&call)?;
    let SendSignInLink { email } = call.body()?;
    sign_in::mail_link(&app, &email, &call.client).await?;
    Ok(Reply::empty(202))
}

fn sign_out(cx: &Context<'_>, caller: &Authorized<SignedIn>, _: &Call) -> Result<Reply> {
    let session = sessions::current(cx)?;
    sessions::end(cx, caller, session.id.as_str())?;
    let cookie = SessionCookie { secure: cx.app.urls.secure() };
    Ok(Reply::empty(204).with_cookie(cookie.clear()))
}

async fn set_password(app: Arc<App>, call: Arc<Call>) -> Result<Reply> {
    let SetPassword { password, current_password } = call.body()?;
    let new = NewPassword { password, current: current_password };
    sign_in::set_password(&app, call.credentials.clone(), call.client.clone(), new).await?;
    Ok(Reply::empty(204))
}

fn delete_password(cx: &Context<'_>, caller: &Authorized<SignedIn>, _: &Call) -> Result<Reply> {
    sign_in::remove_password(cx, caller)?;
    Ok(Reply::empty(205))
}
