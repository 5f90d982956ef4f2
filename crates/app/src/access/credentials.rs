//! The credentials of a request, and the caller that they authenticate.

use std::sync::Arc;

use bindery_model::{Error, Result, Timestamp};
use bindery_store::{StoreError, Tx};

use crate::access::{Caller, Credential, Person};
use crate::publishing::resolve::{SiteReader, site_tokens};
use crate::{App, people::sessions, people::tokens};

/// Maximum number of cached credentials on the embedded engine.
const CAPACITY: usize = 10_000;
/// Minimum time in milliseconds between two updates of a token's last use.
const TOUCH_AFTER: i64 = 60_000;

/// The credentials of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Credentials {
    /// A personal token.
    Token(String),
    /// A browser session.
    Session {
        /// The secret of the session.
        secret: String,
        /// The host that the request was sent to.
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

/// A credential that exists in the store.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) person: Person,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) last_used_at: Option<Timestamp>,
    /// The latest time to which use can extend the credential.
    pub(crate) ends_at: Option<Timestamp>,
}

/// A cache of credentials, each with the number of changes to the store before its look-up.
pub(crate) struct KeptCredentials(quick_cache::sync::Cache<[u8; 32], Arc<(u64, Known)>>);

impl Default for KeptCredentials {
    fn default() -> Self {
        Self(quick_cache::sync::Cache::new(CAPACITY))
    }
}

/// A use of a credential, to be recorded later.
#[derive(Clone, Copy, Debug)]
pub struct LastUse {
    credential: Credential,
    ends_at: Option<Timestamp>,
}

/// Returns the caller of these credentials, as the transaction sees it. A browser with an invalid
/// session is an anonymous caller, because its session may have ended without its knowledge.
///
/// # Errors
/// Returns the same 401 for an unknown, a revoked and an expired token.
pub fn authenticate(
    tx: &Tx<'_>,
    app: &App,
    credentials: Option<&Credentials>,
) -> Result<(Caller, Option<LastUse>)> {
    let Some(credentials) = credentials else { return Ok((Caller::Anonymous, None)) };
    if let Some(token) = site_token(credentials) {
        return Ok((reader_of(tx, app, token)?, None));
    }
    recognise(app, credentials, look_up(tx, credentials)?)
}

/// Like [`authenticate`], for requests that only read. Uses the cache if this process is the only
/// writer of the store and the store has not changed since the look-up.
///
/// # Errors
/// Returns the same errors as [`authenticate`].
pub fn authenticate_reader(
    tx: &Tx<'_>,
    app: &App,
    credentials: Option<&Credentials>,
) -> Result<(Caller, Option<LastUse>)> {
    let Some(credentials) = credentials else { return Ok((Caller::Anonymous, None)) };
    if let Some(token) = site_token(credentials) {
        return Ok((reader_of(tx, app, token)?, None));
    }
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

/// Returns the token if it has the form of a token of a published site. Personal tokens contain no
/// dots.
fn site_token(credentials: &Credentials) -> Option<&str> {
    match credentials {
        Credentials::Token(token) if token.contains('.') => Some(token),
        Credentials::Token(_) | Credentials::Session { .. } => None,
    }
}

/// Returns the reader of a published site who presents its token.
///
/// # Errors
/// Returns the same 401 as for an unknown personal token.
fn reader_of(tx: &Tx<'_>, app: &App, token: &str) -> Result<Caller> {
    match site_tokens::open(app, tx, token)? {
        Some(token) => Ok(Caller::Visitor(Box::new(SiteReader::Token(Box::new(token))))),
        None => Err(unknown_token()),
    }
}

fn unknown_token() -> Error {
    Error::unauthenticated("the token is unknown, revoked or expired")
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
            Credentials::Token(_) => Err(unknown_token()),
            Credentials::Session { .. } => Ok((Caller::Anonymous, None)),
        };
    };
    let stale = last_used_at.is_none_or(|used| now.millis() - used.millis() > TOUCH_AFTER);
    let touch = stale.then_some(LastUse { credential: person.credential, ends_at });
    Ok((Caller::Person(person), touch))
}

/// Records the use of a credential after the response.
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
