//! The credentials of a request, and the caller that they authenticate.

use std::sync::Arc;

use bindery_model::{Error, Result, Timestamp};
use bindery_store::{StoreError, Tx};

use crate::access::{Caller, Credential, Person};
use crate::{App, sessions, tokens};

/// Credentials that are kept in memory on the embedded engine.
const KEPT: usize = 10_000;
/// Minimum time in milliseconds between two updates of a token's last use.
const TOUCH_AFTER: i64 = 60_000;

/// The credentials of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Credentials {
    /// A personal token.
    Token(String),
    /// The session of a browser.
    Session {
        /// The secret.
        secret: String,
        /// The host that it was sent to.
        host: String,
    },
}

impl Credentials {
    /// Returns a hash that identifies the credentials without revealing them.
    pub fn hash(&self) -> [u8; 32] {
        match self {
            Self::Token(token) => tokens::hash(token),
            Self::Session { secret, host } => {
                let mut hasher = blake3::Hasher::new_derive_key("bindery 2026 shown sessions");
                hasher.update(secret.as_bytes()).update(b"\0").update(host.as_bytes());
                *hasher.finalize().as_bytes()
            }
        }
    }
}

/// A credential that is known.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) person: Person,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) last_used_at: Option<Timestamp>,
    /// The last moment to which use makes it go on.
    pub(crate) ends_at: Option<Timestamp>,
}

/// Credentials that were looked up, with the number of the store's changes before that.
pub(crate) struct KeptCredentials(quick_cache::sync::Cache<[u8; 32], Arc<(u64, Known)>>);

impl Default for KeptCredentials {
    fn default() -> Self {
        Self(quick_cache::sync::Cache::new(KEPT))
    }
}

/// A credential that was used and should be marked so.
#[derive(Clone, Copy, Debug)]
pub struct LastUse {
    credential: Credential,
    ends_at: Option<Timestamp>,
}

/// Returns the caller of these credentials, as the transaction sees it. A browser with an invalid
/// session is an anonymous caller, because its session may have ended without its knowledge.
///
/// # Errors
/// 401 for a token that is unknown, revoked or expired: one answer for all of them.
pub fn authenticate(
    tx: &Tx<'_>,
    app: &App,
    credentials: Option<&Credentials>,
) -> Result<(Caller, Option<LastUse>)> {
    let Some(credentials) = credentials else { return Ok((Caller::Anonymous, None)) };
    recognise(app, credentials, look_up(tx, credentials)?)
}

/// As `authenticate`, for what only reads: where this process alone changes the store, and nothing
/// in it changed since the credential was looked up, it is not looked up again.
///
/// # Errors
/// As `authenticate`.
pub fn authenticate_reader(
    tx: &Tx<'_>,
    app: &App,
    credentials: Option<&Credentials>,
) -> Result<(Caller, Option<LastUse>)> {
    let Some(credentials) = credentials else { return Ok((Caller::Anonymous, None)) };
    let Some(changes) = app.store.changes() else {
        return recognise(app, credentials, look_up(tx, credentials)?);
    };
    let hash = credentials.hash();
    let kept = &app.kept_credentials.0;
    if let Some(kept) = kept.get(&hash)
        && kept.0 == changes
    {
        return recognise(app, credentials, Some(kept.1.clone()));
    }
    let known = look_up(tx, credentials)?;
    if let Some(known) = &known {
        kept.insert(hash, Arc::new((changes, known.clone())));
    }
    recognise(app, credentials, known)
}

fn look_up(tx: &Tx<'_>, credentials: &Credentials) -> Result<Option<Known>> {
    match credentials {
        Credentials::Token(token) => tokens::known(tx, token),
        Credentials::Session { secret, host } => sessions::known(tx, secret, host),
    }
}

fn recognise(
    app: &App,
    credentials: &Credentials,
    known: Option<Known>,
) -> Result<(Caller, Option<LastUse>)> {
    let now = app.clock.now();
    let good = known.filter(|known| known.expires_at.is_none_or(|expires| expires > now));
    let Some(Known { person, last_used_at, ends_at, .. }) = good else {
        return match credentials {
            Credentials::Token(_) => {
                Err(Error::unauthenticated("the token is unknown, revoked or expired"))
            }
            Credentials::Session { .. } => Ok((Caller::Anonymous, None)),
        };
    };
    let stale = last_used_at.is_none_or(|used| now.millis() - used.millis() > TOUCH_AFTER);
    let touch = stale.then_some(LastUse { credential: person.credential, ends_at });
    Ok((Caller::Person(person), touch))
}

/// Marks a credential as used, after the answer.
pub fn touch_later(app: &Arc<App>, touch: Option<LastUse>) {
    let Some(LastUse { credential, ends_at }) = touch else { return };
    let app = Arc::clone(app);
    tokio::spawn(async move {
        let now = app.clock.now();
        let marked: Result<(), StoreError> = app
            .store
            .write(move |tx| match credential {
                Credential::Token(token) => bindery_store::tokens::touch(tx, token, now),
                Credential::Session(session) => {
                    let until = sessions::goes_on(now, ends_at);
                    bindery_store::sessions::touch(tx, session, now, until)
                }
            })
            .await;
        if let Err(error) = marked {
            tracing::debug!(%error, "could not mark a credential as used");
        }
    });
}
