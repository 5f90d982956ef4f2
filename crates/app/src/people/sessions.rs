//! Browser sessions.

use std::net::IpAddr;

use bindery_model::{Entropy, Error, Id, Result, SessionId, Timestamp, UserId};
pub use bindery_store::sessions::Session;
pub use bindery_store::sessions::SignInMethod;
use bindery_store::{Event, NewEvent, Tx, members, sessions};

use crate::Context;
use crate::access::credentials::Known;
use crate::access::{Authorized, Credential, Lineage, Person, Scopes, SignedIn};

const DAY: i64 = 24 * 60 * 60 * 1000;
/// Maximum time in milliseconds between two uses of a session.
const IDLE: i64 = 14 * DAY;
/// Maximum lifetime of a session in milliseconds.
const LONGEST: i64 = 90 * DAY;
/// Maximum lifetime of a session in seconds, for the lifetime of its cookie.
pub const LONGEST_SECONDS: i64 = LONGEST / 1000;
/// Maximum number of sessions of a user. A new session replaces the one that has been idle longest.
const MAX_SESSIONS: i64 = 100;
/// Maximum number of stored characters of the `User-Agent` header.
const AGENT: usize = 200;

/// The client of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientInfo {
    /// The client's address, as far as trusted proxies report it.
    pub address: IpAddr,
    /// The host that the request was sent to.
    pub host: String,
    /// The `User-Agent` header.
    pub agent: String,
    /// The cookie of a device that has signed in before.
    pub device: Option<String>,
}

/// A new session with its secret, which is only available here.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// The session.
    pub session: Session,
    /// The secret.
    pub secret: String,
}

/// Starts a session. It ends with its lineage.
///
/// # Errors
/// Returns an error if the store fails.
pub fn begin(
    tx: &Tx<'_>,
    (entropy, now): (&Entropy, Timestamp),
    user: UserId,
    (way, lineage): (SignInMethod, Lineage),
    client: &ClientInfo,
) -> Result<NewSession> {
    let ends_at = lineage.bound(Timestamp::from_millis(now.millis() + LONGEST));
    let secret = format!("{}{}", Id::random(entropy), Id::random(entropy));
    let session = Session {
        id: SessionId::random(entropy),
        user,
        hash: hash(&secret),
        method: way,
        host: client.host.clone(),
        address: client.address.to_string(),
        agent: client.agent.chars().filter(|char| !char.is_control()).take(AGENT).collect(),
        created_at: now,
        expires_at: goes_on(now, Some(ends_at)),
        last_used_at: now,
        token: lineage.token,
        ends_at: lineage.expires_at,
    };
    if sessions::count_of_user(tx, user, now)? >= MAX_SESSIONS
        && let Some(oldest) = sessions::least_recently_used(tx, user)?
    {
        sessions::delete(tx, user, oldest)?;
        record(tx, user, user, Event::SessionEnded { session: oldest, user })?;
    }
    sessions::create(tx, &session)?;
    let event = Event::SessionCreated { session: session.id, user, way };
    record(tx, user, user, event)?;
    Ok(NewSession { session, secret })
}

fn hash(secret: &str) -> [u8; 32] {
    blake3::derive_key("bindery 2026 sessions", secret.as_bytes())
}

/// Returns the token that the application's pages send with every change. Another site can make the
/// browser send its cookie, but does not know this token.
pub fn csrf_token(secret: &str) -> String {
    Id::derived(&blake3::derive_key("bindery 2026 csrf", secret.as_bytes())).to_string()
}

/// Returns the new expiry of a session that is used now.
pub(crate) fn goes_on(now: Timestamp, ends_at: Option<Timestamp>) -> Timestamp {
    let idle = Timestamp::from_millis(now.millis() + IDLE);
    ends_at.map_or(idle, |ends| ends.min(idle))
}

/// Returns the session of this secret, if it was started on this host.
pub(crate) fn known(tx: &Tx<'_>, secret: &str, host: &str) -> Result<Option<Known>> {
    let found = sessions::get_by_hash(tx, &hash(secret))?;
    let Some(session) = found.filter(|session| session.host == host) else { return Ok(None) };
    let lineage = Lineage { token: session.token, expires_at: session.ends_at };
    let ends_at = Timestamp::from_millis(session.created_at.millis() + LONGEST);
    Ok(Some(Known {
        person: Person {
            user: session.user,
            credential: Credential::Session(session.id),
            scopes: Scopes::ALL,
            organizations: Vec::new(),
            spaces: Vec::new(),
            lineage,
        },
        expires_at: Some(session.expires_at),
        last_used_at: Some(session.last_used_at),
        ends_at: Some(lineage.bound(ends_at)),
    }))
}

/// Lists the caller's sessions in the order of their start, after the given position, and returns
/// the total number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<Session>, i64)> {
    let user = cx.user().ok_or_else(|| Error::not_found("user"))?;
    let found = sessions::list_of_user(cx.tx, user, cx.now(), after, rows)?;
    Ok((found, sessions::count_of_user(cx.tx, user, cx.now())?))
}

/// Returns the session of the request, if it has one.
pub fn current_id(cx: &Context<'_>) -> Option<SessionId> {
    match cx.caller.person()?.credential {
        Credential::Session(session) => Some(session),
        Credential::Token(_) => None,
    }
}

/// Returns the session of the request.
///
/// # Errors
/// Returns 409 if the request has other credentials.
pub fn current(cx: &Context<'_>) -> Result<Session> {
    let (Some(user), Some(session)) = (cx.user(), current_id(cx)) else {
        return Err(Error::conflict(
            "this request has a token and no session: use deleteToken to revoke a token",
        ));
    };
    sessions::get(cx.tx, user, session, cx.now())?.ok_or_else(|| Error::not_found("session"))
}

/// Ends a session of the caller.
///
/// # Errors
/// Returns 404 if the caller has no such session.
pub fn end(cx: &Context<'_>, _: &Authorized<SignedIn>, session: &str) -> Result<()> {
    let (Some(user), Some(session)) = (cx.user(), SessionId::parse(session)) else {
        return Err(Error::not_found("session"));
    };
    if !sessions::delete(cx.tx, user, session)? {
        return Err(Error::not_found("session"));
    }
    record(cx.tx, user, user, Event::SessionEnded { session, user })
}

/// Ends all sessions of the caller except the session of the request.
///
/// # Errors
/// Returns an error if the store fails.
pub fn end_others(cx: &Context<'_>, _: &Authorized<SignedIn>) -> Result<()> {
    let Some(person) = cx.caller.person() else { return Err(Error::not_found("session")) };
    end_all(cx.tx, cx.now(), person.user, Some(person.credential))
}

/// Ends all sessions of a user except the one of `kept`.
pub(crate) fn end_all(
    tx: &Tx<'_>,
    now: Timestamp,
    user: UserId,
    kept: Option<Credential>,
) -> Result<()> {
    for session in sessions::list_of_user(tx, user, now, None, u32::MAX)? {
        if kept != Some(Credential::Session(session.id)) {
            sessions::delete(tx, user, session.id)?;
            record(tx, user, user, Event::SessionEnded { session: session.id, user })?;
        }
    }
    Ok(())
}

/// Records an event of an account in all organizations of its owner. `by` is the user who caused
/// it, if known.
pub(crate) fn record(
    tx: &Tx<'_>,
    by: impl Into<Option<UserId>>,
    user: UserId,
    event: Event,
) -> Result<()> {
    let reached = members::list_organizations(tx, user)?;
    tx.record(&NewEvent::new(event).by(by.into()).affecting(reached))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_prolongs_a_session_to_its_end_and_no_further() {
        let at = |day: i64| Timestamp::from_millis(day * DAY);
        let ends = Some(at(90));
        for (now, until) in [(0, 14), (70, 84), (80, 90), (89, 90)] {
            assert_eq!(goes_on(at(now), ends), at(until), "day {now}");
        }
    }

    #[test]
    fn csrf_tokens_follow_from_the_secret_and_do_not_tell_it() {
        let (one, other) = (csrf_token("secret"), csrf_token("secreu"));
        assert_eq!(one, csrf_token("secret"));
        assert_ne!(one, other);
        assert_eq!(one.len(), Id::LEN);
    }
}
