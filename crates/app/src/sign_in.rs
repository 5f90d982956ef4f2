//! Signing in with a browser: by password, by a link, with a token.
//!
//! Whether somebody has an account with a mail address is told to nobody who is not signed in to
//! it: answers and the work behind them are the same.

mod attempts;
mod links;
mod passwords;

pub(crate) use links::wanted;
pub use links::{address_for, hand_over, mail_link, show};
pub use passwords::{NewPassword, remove_password, set_password};

use std::sync::Arc;

use bindery_model::{Error, Result};
use bindery_store::users::{self, User};
use bindery_store::{Origin, Source, Tx, passwords as stored, sign_in_links};

use crate::access::Lineage;
use crate::credentials::Shown;
use crate::sessions::{self, Asker, Begun, Way};
use crate::{App, credentials, text, tokens};
use attempts::{Attempt, Subjects};

/// What somebody shows to sign in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// The password of the account with a mail address.
    Password {
        /// The mail address.
        email: String,
        /// The password.
        password: String,
    },
    /// The secret of a link.
    Link(String),
    /// A personal token that reaches everything its owner does.
    Token(String),
}

/// Who is signed in now, and their session.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// The person.
    pub user: User,
    /// The session.
    pub begun: Begun,
}

/// Signs somebody in.
///
/// # Errors
/// 400 for no mail address; 401 where what is shown is not right, one answer for all reasons; 403
/// for a token that is limited; 429 after too many attempts.
pub async fn sign_in(app: &Arc<App>, proof: Proof, asker: Asker) -> Result<SignedIn> {
    match proof {
        Proof::Password { email, password } => with_password(app, &email, password, asker).await,
        Proof::Link(secret) => {
            let seen = Arc::clone(app);
            app.store.write(move |tx| with_link(tx, &seen, &secret, &asker)).await
        }
        Proof::Token(token) => {
            let seen = Arc::clone(app);
            app.store.write(move |tx| with_token(tx, &seen, &token, &asker)).await
        }
    }
}

fn wrong_password() -> Error {
    Error::unauthenticated("the mail address or the password is not right")
}

async fn with_password(
    app: &Arc<App>,
    email: &str,
    password: String,
    asker: Asker,
) -> Result<SignedIn> {
    let email = text::email("/email", email)?;
    let subjects = Arc::new(Subjects::new(Attempt::Password, &email, asker.address));
    let (counted, now) = (Arc::clone(&subjects), app.clock.now());
    let found = app
        .store
        .write(move |tx| {
            let admitted = counted.count(tx, now)?;
            let user = users::get_by_email(tx, &email)?;
            let hash = match &user {
                Some(user) => stored::get(tx, user.id)?,
                None => None,
            };
            Ok::<_, Error>(admitted.map(|()| user.zip(hash)))
        })
        .await??;
    let hash = found.as_ref().map(|(_, hash)| hash.clone());
    // Without an account, or without a password, the same work is done.
    let right = passwords::verify(password, hash).await?;
    let (user, hash) = found.filter(|_| right).ok_or_else(wrong_password)?;
    let app = Arc::clone(app);
    let store = app.store.clone();
    store
        .write(move |tx| {
            if stored::get(tx, user.id)?.as_deref() != Some(hash.as_str()) {
                return Err(wrong_password());
            }
            subjects.forgive(tx)?;
            begin(tx, &app, &user, (Way::Password, Lineage::default()), &asker)
        })
        .await
}

fn begin(
    tx: &Tx<'_>,
    app: &App,
    user: &User,
    how: (Way, Lineage),
    asker: &Asker,
) -> Result<SignedIn> {
    comes_from(tx, asker);
    let begun = sessions::begin(tx, (&app.entropy, app.clock.now()), user.id, how, asker)?;
    Ok(SignedIn { user: user.clone(), begun })
}

fn comes_from(tx: &Tx<'_>, asker: &Asker) {
    tx.comes_from(Origin { source: Source::Api, address: Some(asker.address), token: None });
}

fn with_link(tx: &Tx<'_>, app: &App, secret: &str, asker: &Asker) -> Result<SignedIn> {
    let refused =
        || Error::unauthenticated("the link was used, has expired or is no link to sign in with");
    let now = app.clock.now();
    let link = links::find(tx, app, secret, now)?.ok_or_else(refused)?;
    let user = users::get_by_email(tx, &link.email)?.ok_or_else(refused)?;
    let lineage = tokens::handed_over_by(tx, link.token)?;
    sign_in_links::delete(tx, link.id)?;
    comes_from(tx, asker);
    let user = if link.mailed && user.verified_at.is_none() {
        crate::users::verify(tx, now, user, None)?
    } else {
        user
    };
    begin(tx, app, &user, (Way::Link, lineage), asker)
}

fn with_token(tx: &Tx<'_>, app: &App, token: &str, asker: &Asker) -> Result<SignedIn> {
    let shown = Shown::Token(token.to_owned());
    let (caller, _) = credentials::authenticate(tx, app, Some(&shown))?;
    let person = caller.person().ok_or_else(|| Error::internal("a token of nobody"))?;
    if person.is_limited() {
        return Err(Error::forbidden(
            "this token is limited in what it may do, and a session would not be",
        ));
    }
    let user = users::get(tx, person.user)?.ok_or_else(|| Error::not_found("user"))?;
    begin(tx, app, &user, (Way::Token, person.lineage), asker)
}
