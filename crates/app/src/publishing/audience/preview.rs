//! Previews: a member reads a site as its visitors would, also before it is published, and with the
//! content of a change request.

use bindery_model::{
    ChangeRequestId, Error, Result, SessionId, SiteId, SiteSpaceId, SpaceId, Timestamp, TokenId,
    UserId,
};
use bindery_store::change_requests::{self, ChangeRequest};
use bindery_store::sites::Site;
use bindery_store::{Tx, git_branches, sessions, site_spaces, spaces, tokens};
use serde_json::{Value, json};

use super::jwt::{self, Claims};
use super::{PreviewRight, PreviewVisitor, Visitor};
use crate::access::{Authorized, Credential, Person, level_of, role_on_site};
use crate::publishing::published;
use crate::publishing::sites::SiteTarget;
use crate::review::change_requests::ChangeRequestKey;
use crate::{App, Context};

/// Path prefix of previews on the host of published sites, followed by the id of the site.
pub const PREVIEW_PATH: &str = "/~preview/";
/// The path below a preview of the content of change requests, followed by an id or a number.
pub const CHANGES: &str = "~/changes/";
/// The claim with the change request that an address shows.
const CHANGE_REQUEST: &str = "change_request";
/// The query parameter with the token of a preview.
pub const PREVIEW_PARAMETER: &str = "token";
/// The end of addresses that end with their change request, in seconds: that of the year 9999.
const NEVER: i64 = 253_402_300_799;
/// Time in milliseconds for which a preview can be read.
const LIFETIME: i64 = 60 * 60 * 1_000;
/// Maximum length of the claims of a preview in bytes. The address contains them, encoded.
const MAX_CLAIMS: usize = 1_024;

/// Returns the address of a preview of a site for the caller. It works for one hour, and no longer
/// than the credential of the caller. `site_space` is the space at which the preview begins,
/// `claims` are the claims of the imitated visitor as a JSON object.
///
/// # Errors
/// Returns 400 if the claims are invalid, and 404 if the caller cannot read the site space.
pub fn create(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    site_space: Option<&str>,
    claims: Option<&str>,
) -> Result<String> {
    let site = &site.0;
    let person = cx.caller.person().ok_or_else(|| Error::not_found("site"))?;
    let path = match site_space {
        None => String::new(),
        Some(id) => start(cx.tx, site, person, id)?,
    };
    let lifetime = cx.now().plus_millis(LIFETIME);
    let expires_at = person.lineage.expires_at.map_or(lifetime, |end| end.min(lifetime));
    let (kind, credential) = match person.credential {
        Credential::Token(id) => ("token", id.to_string()),
        Credential::Session(id) => ("session", id.to_string()),
    };
    let mut token = Claims::new();
    for (name, value) in [
        ("aud", json!(site.id.as_str())),
        ("sub", json!(person.user.as_str())),
        ("exp", json!(expires_at.millis().div_euclid(1_000))),
        (kind, json!(credential)),
        ("claims", claims.map_or_else(|| Ok(json!({})), parse_claims)?),
    ] {
        token.insert(name.to_owned(), value);
    }
    let token = jwt::sign(&token, cx.app.secrets.preview_key())?;
    let (host, site) = (cx.app.urls.sites(), site.id);
    Ok(format!("{host}{PREVIEW_PATH}{site}/{path}?{PREVIEW_PARAMETER}={token}"))
}

/// Returns the path of a site space below the root of the preview.
fn start(tx: &Tx<'_>, site: &Site, person: &Person, id: &str) -> Result<String> {
    let spaces = readable_spaces(tx, person.user, site.id)?;
    let right = PreviewRight::Member { user: person.user, credential: person.credential };
    let visitor = PreviewVisitor { right, spaces };
    let shown = published::load_preview(tx, site.clone(), &visitor)?;
    let id = SiteSpaceId::parse(id);
    let found = shown.spaces.iter().find(|(site_space, _)| Some(site_space.id) == id);
    let (site_space, _) = found.ok_or_else(|| Error::not_found("site space"))?;
    Ok(shown.structure.site_space_path(site_space))
}

fn parse_claims(text: &str) -> Result<Value> {
    let parsed = (text.len() <= MAX_CLAIMS).then(|| serde_json::from_str::<Value>(text));
    match parsed {
        Some(Ok(claims @ Value::Object(_))) if jwt::is_shallow(&claims) => Ok(claims),
        _ => Err(Error::invalid(format!(
            "query parameter \"claims\": allowed: a JSON object of at most {MAX_CLAIMS} bytes, such \
             as {{\"plan\":\"pro\"}}"
        ))),
    }
}

/// Returns the visitor who presents the token of a preview. `None` if the token is invalid, or if
/// the member who created it may no longer read the site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn open(app: &App, tx: &Tx<'_>, site: &Site, token: &str) -> Result<Option<Visitor>> {
    let now = app.clock.now();
    let is_site = |audience: &str| audience == site.id.as_str();
    let verified = jwt::verify(token, app.secrets.preview_key(), now, is_site);
    let Ok(mut token) = verified else { return Ok(None) };
    if token.contains_key(CHANGE_REQUEST) {
        return open_branch(tx, site, &token);
    }
    let text = |name: &str| token.get(name).and_then(Value::as_str);
    // The tolerance for the clocks of other servers does not apply to own tokens.
    let expires_at = jwt::expires_at(&token).filter(|end| *end > now);
    let (Some(expires_at), Some(_), Some(user)) =
        (expires_at, text("aud"), text("sub").and_then(UserId::parse))
    else {
        return Ok(None);
    };
    let credential = match (text("token"), text("session")) {
        (Some(id), None) => TokenId::parse(id).map(Credential::Token),
        (None, Some(id)) => SessionId::parse(id).map(Credential::Session),
        _ => None,
    };
    let Some(credential) = credential else { return Ok(None) };
    let Some(preview) = reader(tx, site, user, credential, now)? else { return Ok(None) };
    let claims = match token.remove("claims") {
        Some(Value::Object(claims)) => claims,
        _ => Claims::new(),
    };
    Ok(Some(Visitor {
        claims,
        signed_in_until: Some(expires_at),
        preview: Some(preview),
        ..Visitor::anonymous()
    }))
}

/// Returns the address at which everybody who has it reads the content of a change request, as long
/// as it is open and has a branch. `None` if its space is not on a site.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn of_branch(
    app: &App,
    tx: &Tx<'_>,
    change_request: &ChangeRequest,
) -> Result<Option<String>> {
    let ChangeRequest { id, space, .. } = change_request;
    let Some(site) = site_spaces::first_site_of(tx, *space)? else { return Ok(None) };
    let mut token = Claims::new();
    for (name, value) in [
        ("aud", json!(site.as_str())),
        ("exp", json!(NEVER)),
        ("space", json!(space.as_str())),
        (CHANGE_REQUEST, json!(id.as_str())),
    ] {
        token.insert(name.to_owned(), value);
    }
    let token = jwt::sign(&token, app.secrets.preview_key())?;
    let host = app.urls.sites();
    Ok(Some(format!("{host}{PREVIEW_PATH}{site}/{CHANGES}{id}/?{PREVIEW_PARAMETER}={token}")))
}

/// Returns the visitor who presents the address of a change request with a branch.
fn open_branch(tx: &Tx<'_>, site: &Site, token: &Claims) -> Result<Option<Visitor>> {
    let text = |name: &str| token.get(name).and_then(Value::as_str);
    let (Some(_), Some(space), Some(id)) = (
        text("aud"),
        text("space").and_then(SpaceId::parse),
        text(CHANGE_REQUEST).and_then(ChangeRequestId::parse),
    ) else {
        return Ok(None);
    };
    let is_placed = site_spaces::list(tx, site.id)?.iter().any(|placed| placed.space == space);
    let row = change_requests::get(tx, space, id)?;
    let is_open = row.is_some_and(|row| row.status.is_pending());
    if !is_placed || !is_open || git_branches::of_change_request(tx, id)?.is_none() {
        return Ok(None);
    }
    let preview = PreviewVisitor { right: PreviewRight::Branch(id), spaces: vec![space] };
    Ok(Some(Visitor { preview: Some(preview), ..Visitor::anonymous() }))
}

/// Returns the reader of a preview that was created with a credential. `None` if the credential is
/// no longer valid, or if its owner may no longer read the site.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn reader(
    tx: &Tx<'_>,
    site: &Site,
    user: UserId,
    credential: Credential,
    now: Timestamp,
) -> Result<Option<PreviewVisitor>> {
    let exists = credential_exists(tx, user, credential, now)?;
    if !exists || role_on_site(tx, user, site)?.is_none() {
        return Ok(None);
    }
    let spaces = readable_spaces(tx, user, site.id)?;
    Ok(Some(PreviewVisitor { right: PreviewRight::Member { user, credential }, spaces }))
}

/// Returns `true` if the credential that created a preview is still valid.
fn credential_exists(
    tx: &Tx<'_>,
    user: UserId,
    credential: Credential,
    now: Timestamp,
) -> Result<bool> {
    Ok(match credential {
        Credential::Token(id) => {
            let token = tokens::get(tx, id)?.filter(|token| token.user == user);
            token.is_some_and(|token| token.expires_at.is_none_or(|end| end > now))
        }
        Credential::Session(id) => sessions::get(tx, user, id, now)?.is_some(),
    })
}

/// Returns the spaces of a site that a user can read.
fn readable_spaces(tx: &Tx<'_>, user: UserId, site: SiteId) -> Result<Vec<SpaceId>> {
    let mut readable = Vec::new();
    for placed in site_spaces::list(tx, site)? {
        let space = spaces::get(tx, placed.space)?.filter(|space| space.deleted_at.is_none());
        if let Some(space) = space
            && level_of(tx, user, &space)?.is_some()
        {
            readable.push(space.id);
        }
    }
    Ok(readable)
}

/// Returns the change request with this id, or with this number in the first of the spaces that has
/// one, if the visitor may preview it.
///
/// # Errors
/// Returns an error if the store fails.
pub fn change_request(
    tx: &Tx<'_>,
    preview: &PreviewVisitor,
    key: &str,
) -> Result<Option<ChangeRequest>> {
    let Some(key) = ChangeRequestKey::parse(key) else { return Ok(None) };
    if let PreviewRight::Branch(id) = preview.right
        && key != ChangeRequestKey::Id(id)
    {
        return Ok(None);
    }
    for space in &preview.spaces {
        let found = match key {
            ChangeRequestKey::Id(id) => change_requests::get(tx, *space, id)?,
            ChangeRequestKey::Number(number) => change_requests::get_by_number(tx, *space, number)?,
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_a_small_object() {
        assert_eq!(parse_claims(r#"{"plan":"pro"}"#).unwrap(), json!({ "plan": "pro" }));
        let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(MAX_CLAIMS));
        let deep = format!("{}1{}", r#"{"a":"#.repeat(20), "}".repeat(20));
        for text in ["", "1", "[]", "{", "null", &long, &deep] {
            assert!(parse_claims(text).is_err(), "{text}");
        }
    }
}
