//! Personal tokens: random, prefixed, shown once, stored as hashes.

use bindery_model::{
    Entropy, Error, Id, OrganizationId, Result, SpaceId, Timestamp, TokenId, UserId,
};
use bindery_store::tokens::{self, Token};
use bindery_store::{Event, NewEvent, Tx, members};

use crate::access::{Authorized, Credential, Person, Scope, Scopes, SignedIn};
use crate::credentials::Known;
use crate::{Cx, text};

/// What every token of ours begins with.
pub const PREFIX: &str = "bnd_";
/// Characters that its owner is shown later, to know it again.
const SHOWN: usize = 8;
/// Tokens that one person may have.
const MOST: i64 = 1_000;

/// A new token's text: the prefix and 40 random characters, about 238 bits.
pub fn generate(entropy: &Entropy) -> String {
    format!("{PREFIX}{}{}", Id::random(entropy), Id::random(entropy))
}

/// The hash under which a token is stored.
pub fn hash(token: &str) -> [u8; 32] {
    *blake3::hash(token.as_bytes()).as_bytes()
}

/// Whose token this is.
pub(crate) fn known(tx: &Tx<'_>, token: &str) -> Result<Option<Known>> {
    let given = hash(token);
    // The index found it by equality already; this comparison is the one that counts.
    let found = tokens::get_by_hash(tx, &given)?
        .filter(|found| constant_time_eq::constant_time_eq_32(&given, &found.hash));
    Ok(found.map(|found| Known {
        person: Person {
            user: found.user,
            credential: Credential::Token(found.id),
            scopes: Scopes::from_bits(found.scopes),
            organizations: ids(&found.organizations, OrganizationId::parse),
            spaces: ids(&found.spaces, SpaceId::parse),
        },
        expires_at: found.expires_at,
        last_used_at: found.last_used_at,
        ends_at: None,
    }))
}

fn ids<T>(list: &str, parse: fn(&str) -> Option<T>) -> Vec<T> {
    list.split_ascii_whitespace().filter_map(parse).collect()
}

/// What a new token is to be.
#[derive(Clone, Debug, Default)]
pub struct NewToken {
    /// What its owner calls it.
    pub name: String,
    /// From when on it is not accepted.
    pub expires_at: Option<Timestamp>,
    /// What it may be used for; `None`: everything.
    pub scopes: Option<Vec<Scope>>,
    /// The organizations it is limited to; empty: no limit.
    pub organizations: Vec<OrganizationId>,
    /// The spaces it is limited to; empty: no limit.
    pub spaces: Vec<SpaceId>,
}

/// Makes a token for the caller. It reaches no further than the one that was shown.
///
/// # Errors
/// What is wrong with the request; the limit of tokens per person.
pub fn create(cx: &Cx<'_>, _: &Authorized<SignedIn>, new: &NewToken) -> Result<(Token, String)> {
    let person = cx.caller.person().ok_or_else(|| Error::internal("a token for nobody"))?;
    let scopes = new.scopes.as_deref().map_or(person.scopes, Scopes::of);
    if let Some(scope) = scopes.list().into_iter().find(|scope| !person.scopes.allows(*scope)) {
        return Err(Error::forbidden(format!(
            "this token lacks the scope {} and cannot give it away",
            scope.as_str()
        )));
    }
    let narrower = |asked: bool, within: bool| asked && within;
    let organizations_fit = person.organizations.is_empty()
        || narrower(
            !new.organizations.is_empty(),
            new.organizations.iter().all(|one| person.organizations.contains(one)),
        );
    let spaces_fit = person.spaces.is_empty()
        || narrower(
            !new.spaces.is_empty(),
            new.spaces.iter().all(|one| person.spaces.contains(one)),
        );
    if !organizations_fit || !spaces_fit {
        return Err(Error::forbidden(
            "this token is limited to organizations or spaces and cannot make one that is not",
        ));
    }
    if new.expires_at.is_some_and(|expires| expires <= cx.now()) {
        return Err(Error::invalid("body at /expiresAt: found a past time, allowed: a later one"));
    }
    if tokens::count_of_user(cx.tx, person.user)? >= MOST {
        return Err(Error::conflict(format!("you have {MOST} tokens, the most there can be")));
    }
    let name = text::title("/name", &new.name, 1, 100)?;
    let new = NewToken { name, ..new.clone() };
    issue(cx.tx, &cx.app.entropy, cx.now(), person.user, &new, scopes, None)
}

/// Stores a token for a person, with this text or a random one.
///
/// # Errors
/// When the store fails.
pub fn issue(
    tx: &Tx<'_>,
    entropy: &Entropy,
    now: Timestamp,
    user: UserId,
    new: &NewToken,
    scopes: Scopes,
    text: Option<&str>,
) -> Result<(Token, String)> {
    let text = text.map_or_else(|| generate(entropy), str::to_owned);
    let joined = |ids: Vec<&str>| ids.join(" ");
    let token = Token {
        id: TokenId::random(entropy),
        user,
        name: new.name.clone(),
        prefix: text.chars().take(SHOWN).collect(),
        hash: hash(&text),
        scopes: scopes.bits(),
        organizations: joined(new.organizations.iter().map(OrganizationId::as_str).collect()),
        spaces: joined(new.spaces.iter().map(SpaceId::as_str).collect()),
        created_at: now,
        expires_at: new.expires_at,
        last_used_at: None,
    };
    tokens::create(tx, &token)?;
    let event = Event::TokenCreated {
        token: token.id,
        user,
        name: token.name.clone(),
        scopes: scopes.list().into_iter().map(|scope| scope.as_str().to_owned()).collect(),
        expires_at: token.expires_at.map(Timestamp::millis),
    };
    tx.record(&NewEvent::new(event).by(user).concerning(reached(tx, &token)?))?;
    Ok((token, text))
}

/// The organizations into which a token reaches.
fn reached(tx: &Tx<'_>, token: &Token) -> Result<Vec<OrganizationId>> {
    let limits = ids(&token.organizations, OrganizationId::parse);
    let mut reached = members::organizations_of(tx, token.user)?;
    reached.retain(|organization| limits.is_empty() || limits.contains(organization));
    Ok(reached)
}

/// Revokes a token of the caller.
///
/// # Errors
/// 404 when the caller has no such token.
pub fn delete(cx: &Cx<'_>, _: &Authorized<SignedIn>, token: &str) -> Result<()> {
    let (Some(user), Some(token)) = (cx.user(), TokenId::parse(token)) else {
        return Err(Error::not_found("token"));
    };
    revoke(cx.tx, user, token)
}

/// Revokes a token of somebody.
///
/// # Errors
/// 404 when they have no such token.
pub(crate) fn revoke(tx: &Tx<'_>, user: UserId, token: TokenId) -> Result<()> {
    let gone = tokens::delete(tx, user, token)?.ok_or_else(|| Error::not_found("token"))?;
    let reached = reached(tx, &gone)?;
    let event = Event::TokenRevoked { token, user, name: gone.name };
    tx.record(&NewEvent::new(event).by(user).concerning(reached))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_prefixed_and_differ() {
        let entropy = Entropy::seeded(1);
        let (one, other) = (generate(&entropy), generate(&entropy));
        assert!(one.starts_with(PREFIX) && one.len() == 44);
        assert_ne!(one, other);
        assert_ne!(hash(&one), hash(&other));
    }
}
