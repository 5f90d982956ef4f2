//! Sign-in of browsers with a password, a link or a token.
//!
//! Responses do not reveal which mail addresses have accounts: the response and the work for it are
//! the same in both cases.

mod attempts;
mod link_mail;
mod links;
mod passwords;

pub(crate) use link_mail::SignInMailJob;
pub(crate) use links::{address_for, address_of_invitation};
pub use links::{hand_over, leads_to_invitation, mail_link, show};
pub use passwords::{NewPassword, has_password, remove_password, set_password};

use std::sync::Arc;

use bindery_model::{Error, ErrorKind, Result};
use bindery_store::users::{self, User};
use bindery_store::{Origin, Source, Tx, passwords as stored, sign_in_links};

use crate::access::Lineage;
use crate::access::credentials::Credentials;
use crate::people::sessions::{self, ClientInfo, NewSession, SignInMethod};
use crate::{App, access::credentials, people::tokens, text};
use attempts::{Attempts, Counted};

/// The proof that a person presents to sign in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// The password of the account with a mail address.
    Password {
        /// The mail address.
        email: String,
        /// The password.
        password: String,
    },
    /// The secret of a sign-in link.
    Link(String),
    /// A personal token with all permissions of its owner.
    Token(String),
}

/// The signed-in user and the session.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// The user.
    pub user: User,
    /// The new session.
    pub new_session: NewSession,
    /// The value of the cookie that identifies the device at later sign-ins.
    pub device: String,
}

/// Checks a proof and begins a session.
///
/// # Errors
/// Returns 400 if the text is not a mail address; 401 if the proof is wrong, without the reason;
/// 403 for a limited token; 429 after too many attempts.
pub async fn sign_in(app: &Arc<App>, proof: Proof, client: ClientInfo) -> Result<SignedIn> {
    match proof {
        Proof::Password { email, password } => with_password(app, &email, password, client).await,
        Proof::Link(secret) => {
            let (seen, from) = (Arc::clone(app), client.clone());
            let done = app.store.write(move |tx| with_link(tx, &seen, &secret, &from)).await;
            logged(done, "link", &client)
        }
        Proof::Token(token) => {
            let (seen, from) = (Arc::clone(app), client.clone());
            let done = app.store.write(move |tx| with_token(tx, &seen, &token, &from)).await;
            logged(done, "token", &client)
        }
    }
}

/// Logs a refused link or token. Secrets cannot be guessed, so these attempts are not counted, and
/// no account is known for them.
fn logged(done: Result<SignedIn>, way: &str, client: &ClientInfo) -> Result<SignedIn> {
    if let Err(error) = &done
        && error.kind() == ErrorKind::Unauthenticated
    {
        tracing::info!(client = %client.address, way, "sign_in_failed");
    }
    done
}

fn wrong_password() -> Error {
    Error::unauthenticated("the email address or the password is wrong")
}

/// Signs in with a password. The password is hashed between two transactions.
async fn with_password(
    app: &Arc<App>,
    email: &str,
    password: String,
    client: ClientInfo,
) -> Result<SignedIn> {
    let email = text::email("/email", email)?;
    let found = find_account(app, email, &client).await?;
    let (attempts, counted) = (&found.attempts, &found.counted);
    // Without an account, without a password, and if unknown networks have reached the limit of
    // the account, the server does the same work, so that the duration reveals nothing.
    let is_open = counted.exhausted.is_none() || attempts.is_known();
    let hash = found.account.as_ref().and_then(|(_, hash)| hash.clone()).filter(|_| is_open);
    let is_right = passwords::verify(password, hash.clone()).await?;
    let user = found.account.as_ref().map(|(user, _)| user.clone());
    let (Some(user), Some(hash), true) = (&user, hash, is_right) else {
        let user = user.map(|user| user.id);
        attempts::failed(app, (attempts, counted), user, &client).await?;
        return Err(counted.exhausted.clone().unwrap_or_else(wrong_password));
    };
    let (seen, user, found) = (Arc::clone(app), user.clone(), found.clone());
    app.store
        .write(move |tx| {
            if stored::get(tx, user.id)?.as_deref() != Some(hash.as_str()) {
                return Err(wrong_password());
            }
            found.attempts.forgive(tx, &found.counted)?;
            begin(tx, &seen, &user, (SignInMethod::Password, Lineage::default()), &client)
        })
        .await
}

/// The account of a sign-in with a password, with the counted attempt.
#[derive(Clone)]
struct Found {
    attempts: Attempts,
    counted: Counted,
    /// The user with the mail address, if there is one, and the hash of their password.
    account: Option<(User, Option<String>)>,
}

/// Finds an account and counts the attempt. A refused attempt is not counted and writes nothing.
async fn find_account(app: &Arc<App>, email: String, client: &ClientInfo) -> Result<Found> {
    let (seen, asked, from, now) =
        (Arc::clone(app), email.clone(), client.clone(), app.clock.now());
    let look = move |tx: &Tx<'_>| {
        let user = users::get_by_email(tx, &asked)?;
        let attempts = Attempts::password(tx, &seen, &asked, user.as_ref(), &from)?;
        attempts.check(tx, now)?;
        Ok::<_, Error>(attempts)
    };
    let attempts = app.store.read(look).await?;
    let count = move |tx: &Tx<'_>| {
        let counted = attempts.count(tx, now)?;
        let account = match users::get_by_email(tx, &email)? {
            Some(user) => {
                let hash = stored::get(tx, user.id)?;
                Some((user, hash))
            }
            None => None,
        };
        Ok::<_, Error>(Found { attempts: attempts.clone(), counted, account })
    };
    app.store.write(count).await
}

/// Begins the session of an authenticated user.
///
/// # Errors
/// Fails if the store fails.
pub fn begin(
    tx: &Tx<'_>,
    app: &App,
    user: &User,
    how: (SignInMethod, Lineage),
    client: &ClientInfo,
) -> Result<SignedIn> {
    comes_from(tx, client);
    let new_session = sessions::begin(tx, (&app.entropy, app.clock.now()), user.id, how, client)?;
    let device = attempts::remember(tx, app, user, client)?;
    Ok(SignedIn { user: user.clone(), new_session, device })
}

/// Sets the origin of the events of a sign-in.
fn comes_from(tx: &Tx<'_>, client: &ClientInfo) {
    tx.set_origin(Origin { source: Source::Api, address: Some(client.address), token: None });
}

/// Signs in with a link and deletes it.
fn with_link(tx: &Tx<'_>, app: &App, secret: &str, client: &ClientInfo) -> Result<SignedIn> {
    let refused =
        || Error::unauthenticated("the link was used, has expired or is not a sign-in link");
    let now = app.clock.now();
    let link = links::find(tx, app, secret, now)?.ok_or_else(refused)?;
    let user = users::get_by_email(tx, &link.email)?.ok_or_else(refused)?;
    let lineage = tokens::handed_over_by(tx, link.token)?;
    sign_in_links::delete(tx, link.id)?;
    comes_from(tx, client);
    let user = if link.mailed && user.verified_at.is_none() {
        crate::people::users::verify(tx, now, user, None)?
    } else {
        user
    };
    begin(tx, app, &user, (SignInMethod::Link, lineage), client)
}

/// Signs in with a token.
fn with_token(tx: &Tx<'_>, app: &App, token: &str, client: &ClientInfo) -> Result<SignedIn> {
    let credentials = Credentials::Token(token.to_owned());
    let (caller, _) = credentials::authenticate(tx, app, Some(&credentials))?;
    let person = caller.person().ok_or_else(|| Error::internal("a token of nobody"))?;
    if person.is_limited() {
        return Err(Error::forbidden(
            "this token is limited, and a session would not be: sign in with a password, a link \
             or a token without limits",
        ));
    }
    let user = users::get(tx, person.user)?.ok_or_else(|| Error::not_found("user"))?;
    begin(tx, app, &user, (SignInMethod::Token, person.lineage), client)
}
