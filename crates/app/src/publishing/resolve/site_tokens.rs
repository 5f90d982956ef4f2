//! Tokens with which published sites are read through the API.
//!
//! A token is a JSON Web Token that names a site and its audience. It contains a version of what the
//! site shows, so that clients can use it in the keys of their caches.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bindery_model::{
    ChangeRequestId, Error, Id, Result, RevisionId, SessionId, SiteId, SpaceId, TokenId, UserId,
};
use bindery_store::Tx;
use bindery_store::change_requests::{self, ChangeRequest};
use bindery_store::sites::{self, Site};
use serde_json::{Value, json};

use crate::App;
use crate::access::Credential;
use crate::publishing::audience::jwt::{self, Claims, MAX_TOKEN_BYTES};
use crate::publishing::audience::{Audience, PreviewRight, PreviewVisitor, Visitor, preview};
use crate::publishing::published::{self, PublishedStructure};

/// Time in milliseconds between two changes of the expiry of new tokens. A token is valid for at
/// least this time, and at most twice as long.
const LIFETIME: i64 = 30 * 60 * 1_000;
/// Claims of a visitor's token that concern the token and not the visitor.
const TOKEN_CLAIMS: [&str; 5] = ["exp", "iat", "nbf", "jti", "aud"];

/// A verified token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiteToken {
    /// The site.
    pub site: Site,
    /// The visitor to whom the token was given.
    pub visitor: Visitor,
    /// The spaces that the site shows to the visitor.
    pub spaces: Vec<SpaceId>,
    /// The change request whose content a preview shows.
    pub change_request: Option<ChangeRequest>,
}

/// The content and the reader that a token is made for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grant<'a> {
    pub(super) site: &'a Site,
    pub(super) audience: &'a Audience,
    pub(super) visitor: &'a Visitor,
    /// The spaces that the site shows, with the revisions shown.
    pub(super) content: &'a [(SpaceId, RevisionId)],
    pub(super) change_request: Option<&'a ChangeRequest>,
}

/// Returns the claims about a visitor, for conditions in content: those of the visitor's token, and
/// under `unsigned` those without a signature.
pub(super) fn visitor_claims(visitor: &Visitor) -> Claims {
    let mut claims = visitor.claims.clone();
    for name in TOKEN_CLAIMS {
        claims.remove(name);
    }
    if !visitor.unsigned_claims.is_empty() {
        claims.insert("unsigned".to_owned(), Value::Object(visitor.unsigned_claims.clone()));
    }
    claims
}

/// Creates a token. Tokens for the same content and the same visitor are equal for at least half an
/// hour.
///
/// # Errors
/// Returns 400 if the claims of the visitor are too long for a token.
pub(super) fn create(app: &App, grant: Grant<'_>) -> Result<String> {
    let Grant { site, audience, visitor, content, change_request } = grant;
    let now = app.clock.now();
    let end = bindery_model::Timestamp::from_millis((now.millis() / LIFETIME + 2) * LIFETIME);
    let end = visitor.signed_in_until.map_or(end, |until| until.min(end));
    let mut token = Claims::new();
    let mut add = |name: &str, value: Value| {
        token.insert(name.to_owned(), value);
    };
    add("exp", json!(end.millis().div_euclid(1_000)));
    add("site", json!(site.id.as_str()));
    add("organization", json!(site.organization.as_str()));
    add("version", json!(version(site, content).as_str()));
    add("claims", Value::Object(visitor_claims(visitor)));
    if let Some(key) = &visitor.share_key {
        let digest = app.secrets.share_key_digest(key);
        add("shareKey", json!(URL_SAFE_NO_PAD.encode(digest)));
    }
    if visitor.signed_in {
        add("signingKey", json!(audience.signing_key_id()));
    }
    if let Some(PreviewVisitor { right, .. }) = &visitor.preview {
        let PreviewRight::Member { user, credential } = right else {
            return Err(Error::forbidden("the address of a preview of a branch gives no token"));
        };
        add("sub", json!(user.as_str()));
        match credential {
            Credential::Token(id) => add("token", json!(id.as_str())),
            Credential::Session(id) => add("session", json!(id.as_str())),
        }
    }
    if let Some(proposed) = change_request {
        add("changeRequest", json!([proposed.space.as_str(), proposed.id.as_str()]));
    }
    let is_shallow = jwt::is_shallow(&Value::Object(token.clone()));
    let token = jwt::sign(&token, app.secrets.site_token_key())?;
    if token.len() > MAX_TOKEN_BYTES || !is_shallow {
        return Err(Error::invalid(format!(
            "/visitor: found claims that are too long or nested too deeply, allowed: claims for a \
             token of at most {MAX_TOKEN_BYTES} bytes"
        )));
    }
    Ok(token)
}

/// Returns the version of what a site shows: its settings and the revisions of its spaces.
fn version(site: &Site, content: &[(SpaceId, RevisionId)]) -> Id {
    let mut hasher = blake3::Hasher::new_derive_key("bindery 2026 versions of site content");
    hasher.update(site.id.as_bytes()).update(&site.version.to_le_bytes());
    for (space, revision) in content {
        hasher.update(space.as_bytes()).update(revision.as_bytes());
    }
    Id::derived(hasher.finalize().as_bytes())
}

/// Returns the token if it is valid and its holder may still read the site.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn open(app: &App, tx: &Tx<'_>, token: &str) -> Result<Option<SiteToken>> {
    let now = app.clock.now();
    let Ok(mut token) = jwt::verify(token, app.secrets.site_token_key(), now, |_| false) else {
        return Ok(None);
    };
    // The tolerance for the clocks of other servers does not apply to own tokens.
    if jwt::expires_at(&token).is_none_or(|end| end <= now) {
        return Ok(None);
    }
    let claims = match token.remove("claims") {
        Some(Value::Object(claims)) => claims,
        _ => Claims::new(),
    };
    let text = |name: &str| token.get(name).and_then(Value::as_str);
    let Some(site) = text("site").and_then(SiteId::parse) else { return Ok(None) };
    let Some(site) = sites::get(tx, site)? else { return Ok(None) };
    let audience = Audience::load(app, tx, &site)?;
    let digest = text("shareKey").and_then(|key| URL_SAFE_NO_PAD.decode(key).ok());
    let digest = digest.and_then(|digest| <[u8; 32]>::try_from(digest).ok());
    let key = digest.filter(|digest| audience.has_share_key(digest));
    let signing_key = text("signingKey");
    let mut visitor = Visitor {
        claims,
        share_key: key.and(text("shareKey")).map(str::to_owned),
        signed_in: signing_key.is_some() && audience.signing_key_id().as_deref() == signing_key,
        ..Visitor::anonymous()
    };
    if let Some(Value::Object(unsigned)) = visitor.claims.remove("unsigned") {
        visitor.unsigned_claims = unsigned;
    }
    if let Some(user) = text("sub").and_then(UserId::parse) {
        let credential = match (text("token"), text("session")) {
            (Some(id), None) => TokenId::parse(id).map(Credential::Token),
            (None, Some(id)) => SessionId::parse(id).map(Credential::Session),
            _ => None,
        };
        let Some(credential) = credential else { return Ok(None) };
        visitor.preview = preview::reader(tx, &site, user, credential, now)?;
        // A preview that has ended does not become a visit to the published site.
        if visitor.preview.is_none() {
            return Ok(None);
        }
    }
    if !visitor.reads(site.visibility, site.published) {
        return Ok(None);
    }
    let Some(shown) = shown(tx, &site, &visitor)? else { return Ok(None) };
    let spaces = shown.spaces.iter().map(|(_, space)| space.id).collect();
    let proposed = token.get("changeRequest").and_then(proposed_ids);
    let change_request = match proposed {
        Some((space, id)) => change_requests::get(tx, space, id)?,
        None => None,
    };
    Ok(Some(SiteToken { site, visitor, spaces, change_request }))
}

/// Returns the site as a visitor sees it; `None` if the site no longer exists.
pub(super) fn shown(
    tx: &Tx<'_>,
    site: &Site,
    visitor: &Visitor,
) -> Result<Option<PublishedStructure>> {
    match &visitor.preview {
        Some(preview) => published::load_preview(tx, site.clone(), preview).map(Some),
        None => published::load_site(tx, site.id, visitor),
    }
}

fn proposed_ids(value: &Value) -> Option<(SpaceId, ChangeRequestId)> {
    let [Value::String(space), Value::String(id)] = value.as_array()?.as_slice() else {
        return None;
    };
    Some((SpaceId::parse(space)?, ChangeRequestId::parse(id)?))
}
