//! Publishing authentication: the key that signs visitors in to a site, and the address that
//! visitors without a token are sent to.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bindery_model::{Error, FieldPath, Result, VisitorAuthBackend};
pub use bindery_store::site_publishing_auth::SitePublishingAuth;
use bindery_store::sites::Site;
use bindery_store::{Event, FieldChange, NewEvent, site_publishing_auth, sites};

use super::signing_key;
use crate::access::Authorized;
use crate::publishing::sites::SiteTarget;
use crate::{Context, text};

/// Maximum length of the fallback address in bytes.
const MAX_ADDRESS: usize = 2_048;

/// The publishing authentication of a site, as shown to its administrators.
#[derive(Clone, Debug)]
pub struct PublishingAuthView {
    /// The settings.
    pub auth: SitePublishingAuth,
    /// The key that signs the tokens of visitors.
    pub private_key: String,
}

fn load(cx: &Context<'_>, site: &Site) -> Result<SitePublishingAuth> {
    let stored = site_publishing_auth::get(cx.tx, site.id)?;
    Ok(stored.unwrap_or(SitePublishingAuth {
        site: site.id,
        backend: VisitorAuthBackend::Custom,
        fallback_url: None,
        sealed_key: None,
    }))
}

fn view(cx: &Context<'_>, auth: SitePublishingAuth) -> Result<PublishingAuthView> {
    let key = signing_key(&cx.app.secrets, auth.site, auth.sealed_key.as_deref());
    let private_key = key.ok_or_else(|| {
        Error::conflict(
            "the key of this site was encrypted with another sealing key: regenerate it (POST \
             …/publishing/auth/regenerate)",
        )
    })?;
    Ok(PublishingAuthView { auth, private_key })
}

/// Returns the publishing authentication of a site.
///
/// # Errors
/// Returns 409 if the key cannot be decrypted.
pub fn get(cx: &Context<'_>, site: &Authorized<SiteTarget>) -> Result<PublishingAuthView> {
    view(cx, load(cx, &site.0)?)
}

/// Changes the backend of a site, and its fallback address if one is given: `Some(None)` removes
/// it.
///
/// # Errors
/// Returns 400 if the address is invalid, and 409 if the key cannot be decrypted.
pub fn update(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    backend: VisitorAuthBackend,
    fallback_url: Option<Option<&str>>,
) -> Result<PublishingAuthView> {
    let before = load(cx, &site.0)?;
    let fallback_url = match fallback_url {
        None => before.fallback_url.clone(),
        Some(None) => None,
        Some(Some(url)) => Some(address(url)?),
    };
    let after = SitePublishingAuth { backend, fallback_url, ..before.clone() };
    let changes = [
        FieldChange::of("backend", &before.backend.as_str(), &after.backend.as_str())?,
        FieldChange::of("fallbackURL", &before.fallback_url, &after.fallback_url)?,
    ];
    let changes: Vec<FieldChange> = changes.into_iter().flatten().collect();
    if !changes.is_empty() {
        site_publishing_auth::set(cx.tx, &after)?;
        record(cx, &site.0, Event::SitePublishingAuthUpdated { changes })?;
    }
    view(cx, after)
}

/// Replaces the key of a site. Tokens that were signed with the previous one are no longer valid.
///
/// # Errors
/// Returns an error if the store fails.
pub fn regenerate(cx: &Context<'_>, site: &Authorized<SiteTarget>) -> Result<PublishingAuthView> {
    let key = URL_SAFE_NO_PAD.encode(cx.app.entropy.bytes::<32>());
    let sealed_key = Some(cx.app.secrets.seal(&cx.app.entropy, &key)?);
    let auth = SitePublishingAuth { sealed_key, ..load(cx, &site.0)? };
    site_publishing_auth::set(cx.tx, &auth)?;
    record(cx, &site.0, Event::SitePublishingAuthKeyRegenerated)?;
    Ok(PublishingAuthView { auth, private_key: key })
}

/// Validates a fallback address.
fn address(url: &str) -> Result<String> {
    let pointer = FieldPath::new("/fallbackURL");
    let url = text::web_address(pointer.clone(), url)?;
    let host = url.split_once("://").map_or("", |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    let is_plain =
        url.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte));
    if url.len() > MAX_ADDRESS || host.is_empty() || host.contains('@') || !is_plain {
        return Err(pointer.invalid(format!(
            "found {url:?}, allowed: an address with a host, without a user, of at most \
             {MAX_ADDRESS} characters that need no encoding"
        )));
    }
    Ok(url)
}

/// Records an event, and makes all nodes load the audience of the site again.
fn record(cx: &Context<'_>, site: &Site, event: Event) -> Result<()> {
    sites::increment_version(cx.tx, site.id)?;
    let event = NewEvent::new(event).by(cx.user()).organization(site.organization).site(site.id);
    cx.tx.record(&event)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fallback_addresses_are_absolute_and_plain() {
        for (url, is_valid) in [
            ("https://login.example.com/in?a=b#c", true),
            ("http://localhost:3000", true),
            ("HTTPS://login.example.com", true),
            ("javascript:alert(1)", false),
            ("//login.example.com", false),
            ("https://", false),
            ("https:///path", false),
            ("https://user@example.com", false),
            ("https://example.com/a b", false),
            ("https://example.com/\r\nSet-Cookie: a=b", false),
            ("https://example.com/é", false),
        ] {
            assert_eq!(address(url).is_ok(), is_valid, "{url}");
        }
        assert!(address(&format!("https://example.com/{}", "a".repeat(MAX_ADDRESS))).is_err());
    }
}
