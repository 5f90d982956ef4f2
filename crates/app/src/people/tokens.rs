//! Personal tokens. They are random, have a prefix, are shown once and are stored as hashes.

use bindery_model::{
    Entropy, Error, FieldPath, Id, OrganizationId, Result, SpaceId, Timestamp, TokenId, UserId,
};
pub use bindery_store::tokens::Token;
use bindery_store::{
    Event, NewEvent, Tx, invitations, invite_links, members, sessions, sign_in_links, tokens,
};

use crate::access::credentials::Known;
use crate::access::{Authorized, Credential, Lineage, Person, Scope, Scopes, SignedIn};
use crate::{Context, people::organization_invites, text};

/// The prefix of every token.
pub const PREFIX: &str = "bnd_";
/// Number of characters of a token that its owner can see later, to recognise it.
const PREFIX_LENGTH: usize = 8;
/// Maximum number of tokens of a user.
const MAX_TOKENS: i64 = 100;

/// Generates a token: the prefix and 40 random characters, about 238 bits.
pub fn generate(entropy: &Entropy) -> String {
    with_prefix(PREFIX, entropy)
}

/// Generates a secret: a prefix and 40 random characters.
pub(crate) fn with_prefix(prefix: &str, entropy: &Entropy) -> String {
    format!("{prefix}{}{}", Id::random(entropy), Id::random(entropy))
}

/// Returns the hash under which a token is stored.
pub fn hash(token: &str) -> [u8; 32] {
    *blake3::hash(token.as_bytes()).as_bytes()
}

/// Returns the owner of a token.
pub(crate) fn known(tx: &Tx<'_>, token: &str) -> Result<Option<Known>> {
    let given = hash(token);
    // The index has already compared the hashes, but not in constant time.
    let found = tokens::get_by_hash(tx, &given)?
        .filter(|found| constant_time_eq::constant_time_eq_32(&given, &found.hash));
    Ok(found.map(|found| Known {
        person: Person {
            user: found.user,
            credential: Credential::Token(found.id),
            scopes: Scopes::from_bits(found.scopes),
            organizations: ids(&found.organizations, OrganizationId::parse),
            spaces: ids(&found.spaces, SpaceId::parse),
            lineage: Lineage { token: Some(found.id), expires_at: found.expires_at },
        },
        expires_at: found.expires_at,
        last_used_at: found.last_used_at,
        ends_at: None,
    }))
}

fn ids<T>(list: &str, parse: fn(&str) -> Option<T>) -> Vec<T> {
    list.split_ascii_whitespace().filter_map(parse).collect()
}

/// The values of a new token.
#[derive(Clone, Debug, Default)]
pub struct NewToken {
    /// The name that its owner chose.
    pub name: String,
    /// The time from which it is no longer accepted; `None` for no limit.
    pub expires_at: Option<Timestamp>,
    /// The scopes of the token; `None` for all.
    pub scopes: Option<Vec<Scope>>,
    /// The organizations that it is limited to; empty for no limit.
    pub organizations: Vec<OrganizationId>,
    /// The spaces that it is limited to; empty for no limit.
    pub spaces: Vec<SpaceId>,
}

/// Creates a token for the caller. It has no more access than the credential of the request, and
/// expires no later. Without an expiry, it gets that of the credential. If the credential is a
/// token, the new token is revoked with it.
///
/// # Errors
/// Returns 400 if the expiry is in the past, 403 if the token would have more access than the
/// credential, and 409 if the caller has the maximum number of tokens.
pub fn create(
    cx: &Context<'_>,
    _: &Authorized<SignedIn>,
    new: &NewToken,
) -> Result<(Token, String)> {
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
        return Err(Error::invalid("found a past time, allowed: a later one")
            .at(FieldPath::new("/expiresAt")));
    }
    let lineage = person.lineage;
    let expires_at = match (new.expires_at, lineage.expires_at) {
        (Some(asked), Some(end)) if asked > end => {
            return Err(Error::forbidden(format!(
                "this token expires at {end} and cannot create one that \
                 expires later; allowed: a time up to then, or none, which means {end}"
            ))
            .at(FieldPath::new("/expiresAt")));
        }
        (asked, end) => asked.or(end),
    };
    require_room(cx, person.user)?;
    let name = text::title("/name", &new.name, 1, 100)?;
    let new = NewToken { name, expires_at, ..new.clone() };
    issue(cx.tx, (&cx.app.entropy, cx.now()), person.user, &new, scopes, lineage)
}

/// Lists the caller's tokens in the order of their creation, after the given position, and returns
/// the total number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<Token>, i64)> {
    let user = cx.user().ok_or_else(|| Error::not_found("user"))?;
    let found = tokens::list_of_user(cx.tx, user, after, rows)?;
    Ok((found, tokens::count_of_user(cx.tx, user)?))
}

/// Returns an error if a user has the maximum number of tokens. Deletes expired tokens first.
fn require_room(cx: &Context<'_>, user: UserId) -> Result<()> {
    if tokens::count_of_user(cx.tx, user)? < MAX_TOKENS {
        return Ok(());
    }
    tokens::delete_expired(cx.tx, user, cx.now())?;
    if tokens::count_of_user(cx.tx, user)? < MAX_TOKENS {
        return Ok(());
    }
    Err(Error::conflict(format!(
        "you have {MAX_TOKENS} tokens, the maximum: revoke one that is not needed \
         (DELETE /v1/bindery/user/tokens/{{id}})"
    )))
}

/// Stores a random token for a user. It ends with its lineage.
///
/// # Errors
/// Returns an error if the store fails.
pub fn issue(
    tx: &Tx<'_>,
    at: (&Entropy, Timestamp),
    user: UserId,
    new: &NewToken,
    scopes: Scopes,
    lineage: Lineage,
) -> Result<(Token, String)> {
    let text = generate(at.0);
    let token = store(tx, at, user, new, (scopes, lineage), &text)?;
    Ok((token, text))
}

/// Stores a given token without limits for a user.
///
/// # Errors
/// Returns an error if the name is not permitted or the store fails.
pub fn issue_whole(
    tx: &Tx<'_>,
    at: (&Entropy, Timestamp),
    user: UserId,
    name: &str,
    text: &str,
) -> Result<Token> {
    let name = text::title("/name", name, 1, 100)?;
    let new = NewToken { name, ..NewToken::default() };
    store(tx, at, user, &new, (Scopes::ALL, Lineage::default()), text)
}

/// Creates the first token of an account that the caller has just created. If the credential of the
/// request is a token, the new token is revoked with it and is limited to the same organizations.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create_first(cx: &Context<'_>, user: UserId) -> Result<String> {
    let organizations = cx.caller.person().map(|person| person.organizations.clone());
    let new = NewToken { organizations: organizations.unwrap_or_default(), ..first() };
    let at = (&*cx.app.entropy, cx.now());
    Ok(issue(cx.tx, at, user, &new, Scopes::ALL, cx.lineage())?.1)
}

fn first() -> NewToken {
    NewToken { name: "first token".to_owned(), ..NewToken::default() }
}

/// Stores the first token of a new account, within the limits of the credential that created it.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn issue_first(
    tx: &Tx<'_>,
    at: (&Entropy, Timestamp),
    user: UserId,
    lineage: Lineage,
) -> Result<String> {
    Ok(issue(tx, at, user, &first(), Scopes::ALL, lineage)?.1)
}

fn store(
    tx: &Tx<'_>,
    (entropy, now): (&Entropy, Timestamp),
    user: UserId,
    new: &NewToken,
    (scopes, lineage): (Scopes, Lineage),
    text: &str,
) -> Result<Token> {
    let joined = |ids: Vec<&str>| ids.join(" ");
    let token = Token {
        id: TokenId::random(entropy),
        user,
        name: new.name.clone(),
        prefix: text.chars().take(PREFIX_LENGTH).collect(),
        hash: hash(text),
        scopes: scopes.bits(),
        organizations: joined(new.organizations.iter().map(OrganizationId::as_str).collect()),
        spaces: joined(new.spaces.iter().map(SpaceId::as_str).collect()),
        created_at: now,
        expires_at: new.expires_at.map_or(lineage.expires_at, |time| Some(lineage.bound(time))),
        last_used_at: None,
        parent: lineage.token,
    };
    tokens::create(tx, &token)?;
    let event = Event::TokenCreated {
        token: token.id,
        user,
        name: token.name.clone(),
        scopes: scopes.list(),
        expires_at: token.expires_at.map(Timestamp::millis),
    };
    tx.record(&NewEvent::new(event).by(user).affecting(reached(tx, &token)?))?;
    Ok(token)
}

/// Returns the limits of credentials that another user creates by a link or an invitation. These
/// are the limits of the token that the link was handed over with, if that token expires. A token
/// without an expiry limits only the link itself.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn handed_over_by(tx: &Tx<'_>, token: Option<TokenId>) -> Result<Lineage> {
    let Some(token) = token else { return Ok(Lineage::default()) };
    let expires_at = tokens::get(tx, token)?.and_then(|token| token.expires_at);
    let token = expires_at.map(|_| token);
    Ok(Lineage { token, expires_at })
}

/// Returns the organizations that a token gives access to.
fn reached(tx: &Tx<'_>, token: &Token) -> Result<Vec<OrganizationId>> {
    let limits = ids(&token.organizations, OrganizationId::parse);
    let mut reached = members::list_organizations(tx, token.user)?;
    reached.retain(|organization| limits.is_empty() || limits.contains(organization));
    Ok(reached)
}

/// Revokes a token of the caller.
///
/// # Errors
/// Returns 404 if the caller has no such token.
pub fn delete(cx: &Context<'_>, _: &Authorized<SignedIn>, token: &str) -> Result<()> {
    let (Some(user), Some(token)) = (cx.user(), TokenId::parse(token)) else {
        return Err(Error::not_found("token"));
    };
    revoke(cx.tx, user, token)
}

/// Revokes a token of a user, with all access that was created with it: tokens, sessions, sign-in
/// links, pending invitations and invite links.
///
/// # Errors
/// Returns 404 if the user has no such token.
pub(crate) fn revoke(tx: &Tx<'_>, user: UserId, token: TokenId) -> Result<()> {
    let family = tokens::list_with_descendants(tx, user, token)?;
    if family.is_empty() {
        return Err(Error::not_found("token"));
    }
    for gone in family {
        revoke_made_with(tx, user, gone.id)?;
        tokens::delete(tx, gone.id)?;
        let reached = reached(tx, &gone)?;
        let event = Event::TokenRevoked { token: gone.id, user: gone.user, name: gone.name };
        tx.record(&NewEvent::new(event).by(user).affecting(reached))?;
    }
    Ok(())
}

/// Revokes the access other than tokens that was created with a token.
fn revoke_made_with(tx: &Tx<'_>, by: UserId, token: TokenId) -> Result<()> {
    for session in sessions::list_of_token(tx, token)? {
        sessions::delete(tx, session.user, session.id)?;
        let event = Event::SessionEnded { session: session.id, user: session.user };
        let reached = members::list_organizations(tx, session.user)?;
        tx.record(&NewEvent::new(event).by(by).affecting(reached))?;
    }
    sign_in_links::delete_by_token(tx, token)?;
    for invitation in invitations::list_of_token(tx, token)? {
        invitations::delete(tx, invitation.id)?;
        let event = Event::InvitationRevoked { invitation: invitation.id, email: invitation.email };
        tx.record(&NewEvent::new(event).by(by).organization(invitation.organization))?;
    }
    for link in invite_links::list_of_token(tx, token)? {
        organization_invites::revoke_link(tx, by, &link)?;
    }
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
