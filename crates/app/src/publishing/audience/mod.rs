//! The readers of a published site: who they are, and if they may read it.

pub mod jwt;
pub mod preview;
pub mod publishing_auth;
pub mod share_links;

use bindery_model::{ChangeRequestId, Result, SiteId, SiteVisibility, SpaceId, Timestamp, UserId};
use bindery_store::sites::Site;
use bindery_store::{Tx, site_publishing_auth, site_share_links};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use self::jwt::{Claims, TokenError};
use crate::App;
use crate::access::{Credential, Reader};
use crate::secrets::{Secrets, equal};

/// The characters that are encoded in the value of a parameter: all except the unreserved ones.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The reader of a published site, as far as the request proves it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Visitor {
    /// The claims of the visitor's verified token; empty without one.
    pub claims: Claims,
    /// Claims that the visitor states without a signature. They prove nothing.
    pub unsigned_claims: Claims,
    /// The share key in the request, if it opens the site.
    pub share_key: Option<String>,
    /// `true` if the visitor has a verified token of the site.
    pub signed_in: bool,
    /// Time until which the token of the visitor is valid.
    pub signed_in_until: Option<Timestamp>,
    /// The preview that the visitor reads, instead of the published site.
    pub preview: Option<PreviewVisitor>,
}

/// The right with which a visitor reads a preview.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreviewVisitor {
    /// The origin of the right.
    pub right: PreviewRight,
    /// The spaces of the site that can be read.
    pub spaces: Vec<SpaceId>,
}

/// The origin of the right to read a preview.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PreviewRight {
    /// A member created the preview, which has the permissions of the member.
    Member {
        /// The member.
        user: UserId,
        /// The credential with which the member created the preview.
        credential: Credential,
    },
    /// The address of a change request that has a branch. Nothing else can be read.
    Branch(ChangeRequestId),
}

impl Visitor {
    /// Returns a visitor about whom nothing is known.
    pub fn anonymous() -> Self {
        Self::default()
    }

    /// Returns `true` if the visitor may read a site with this audience.
    pub fn reads(&self, visibility: SiteVisibility, published: bool) -> bool {
        let proven = [
            (Reader::Public, true),
            (Reader::ShareKey, self.share_key.is_some()),
            (Reader::Visitor, self.signed_in),
            (Reader::Preview, self.preview.is_some()),
        ];
        proven
            .into_iter()
            .any(|(reader, is_proven)| is_proven && reader.sees(visibility, published))
    }
}

/// The credentials of a request for a site.
#[derive(Clone, Copy, Debug, Default)]
pub struct Presented<'a> {
    /// A share key.
    pub share_key: Option<&'a str>,
    /// A token, signed with the key of the site.
    pub token: Option<&'a str>,
}

/// The audience of a site, with everything that decides if a request belongs to it.
#[derive(Clone, Debug)]
pub struct Audience {
    site: SiteId,
    visibility: SiteVisibility,
    published: bool,
    /// The digests of the keys of active share links.
    share_keys: Vec<[u8; 32]>,
    signing_key: Option<String>,
    fallback_url: Option<String>,
}

/// The decision about a request for a site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Admission {
    /// The visitor may read the site.
    Admitted,
    /// The visitor has to sign in at this address first.
    SignIn(String),
    /// The site does not exist for the visitor.
    Absent,
}

impl Audience {
    /// Loads the audience of a site.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn load(app: &App, tx: &Tx<'_>, site: &Site) -> Result<Self> {
        let links = site_share_links::list(tx, site.id)?.into_iter().filter(|link| link.active);
        let auth = site_publishing_auth::get(tx, site.id)?;
        let sealed_key = auth.as_ref().and_then(|auth| auth.sealed_key.as_deref());
        Ok(Self {
            site: site.id,
            visibility: site.visibility,
            published: site.published,
            share_keys: links.map(|link| link.key_digest).collect(),
            signing_key: signing_key(&app.secrets, site.id, sealed_key),
            fallback_url: auth.and_then(|auth| auth.fallback_url),
        })
    }

    /// Returns `true` if the site has active share links.
    pub const fn has_share_keys(&self) -> bool {
        !self.share_keys.is_empty()
    }

    /// Returns `true` if the key belongs to an active share link of the site.
    pub fn is_share_key(&self, secrets: &Secrets, key: &str) -> bool {
        self.has_share_key(&secrets.share_key_digest(key))
    }

    /// Returns `true` if an active share link of the site has a key with this digest.
    pub(crate) fn has_share_key(&self, digest: &[u8; 32]) -> bool {
        // All digests are compared, so that the time does not depend on the position of a match.
        self.share_keys.iter().fold(false, |found, known| found | equal(known, digest))
    }

    /// Returns a text that identifies the signing key of the site without revealing it; `None`
    /// without a key.
    pub(crate) fn signing_key_id(&self) -> Option<String> {
        let key = self.signing_key.as_ref()?;
        let hash = blake3::derive_key("bindery 2026 ids of signing keys", key.as_bytes());
        Some(bindery_model::Id::derived(&hash).to_string())
    }

    /// Returns the claims of a visitor's token.
    ///
    /// # Errors
    /// Returns the reason why the token is not accepted.
    pub fn claims(&self, token: &str, now: Timestamp) -> std::result::Result<Claims, TokenError> {
        let key = self.signing_key.as_ref().ok_or(TokenError::Signature)?;
        // A token for several sites names those that may accept it.
        jwt::verify(token, key.as_bytes(), now, |audience| audience == self.site.as_str())
    }

    /// Returns the visitor who made a request, and the reason why their token was not accepted.
    pub fn identify(
        &self,
        secrets: &Secrets,
        presented: Presented<'_>,
        now: Timestamp,
    ) -> (Visitor, Option<TokenError>) {
        let mut visitor = Visitor::anonymous();
        let key = presented.share_key.filter(|key| self.is_share_key(secrets, key));
        visitor.share_key = key.map(str::to_owned);
        let error = match presented.token.map(|token| self.claims(token, now)) {
            None => None,
            Some(Err(error)) => Some(error),
            Some(Ok(claims)) => {
                visitor.signed_in = true;
                visitor.signed_in_until = jwt::expires_at(&claims);
                visitor.claims = claims;
                None
            }
        };
        (visitor, error)
    }

    /// Decides about a visitor who requests a page of the site. `location` is the address of the
    /// page below the root of the site, with a leading `/`. `error` is the reason why the token of
    /// the visitor was not accepted.
    pub fn admit(&self, visitor: &Visitor, location: &str, error: Option<TokenError>) -> Admission {
        if visitor.reads(self.visibility, self.published) {
            return Admission::Admitted;
        }
        match &self.fallback_url {
            Some(url) if self.published && self.visibility == SiteVisibility::VisitorAuth => {
                Admission::SignIn(sign_in_address(url, location, error))
            }
            _ => Admission::Absent,
        }
    }

    /// Returns the address that visitors without a token are sent to.
    pub fn fallback_url(&self) -> Option<&str> {
        self.fallback_url.as_deref()
    }

    /// Returns `true` if only some visitors may read the site.
    pub const fn is_restricted(&self) -> bool {
        matches!(self.visibility, SiteVisibility::ShareLink | SiteVisibility::VisitorAuth)
    }
}

/// Returns the key that signs the tokens of a site's visitors; `None` if it was sealed with another
/// sealing key.
fn signing_key(secrets: &Secrets, site: SiteId, sealed: Option<&str>) -> Option<String> {
    match sealed {
        None => Some(secrets.visitor_signing_key(site)),
        Some(sealed) => secrets.open(sealed),
    }
}

/// Returns the fallback address with the parameter `location`, which names the requested page, and
/// the parameter `error` if a token was not accepted.
fn sign_in_address(url: &str, location: &str, error: Option<TokenError>) -> String {
    let (base, fragment) = match url.split_once('#') {
        Some((base, fragment)) => (base, Some(fragment)),
        None => (url, None),
    };
    let separator = match base.split_once('?') {
        None => "?",
        Some((_, query)) if query.is_empty() || query.ends_with('&') => "",
        Some(_) => "&",
    };
    // Several slashes at its beginning would be the beginning of a host, to which a sign-in page could
    // send the token.
    let page = location.trim_start_matches(['/', '\\']);
    let location = utf8_percent_encode(page, ENCODED);
    let mut address = format!("{base}{separator}location=%2F{location}");
    if let Some(error) = error {
        address.push_str("&error=");
        address.push_str(error.name());
    }
    if let Some(fragment) = fragment {
        address.push('#');
        address.push_str(fragment);
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fallback_address_names_the_page() {
        for (url, location, error, expect) in [
            ("https://a.example/in", "/", None, "https://a.example/in?location=%2F"),
            (
                "https://a.example/in?a=1",
                "/b c",
                None,
                "https://a.example/in?a=1&location=%2Fb%20c",
            ),
            ("https://a.example/?", "/x&y", None, "https://a.example/?location=%2Fx%26y"),
            ("https://a.example/", "//b.example", None, "https://a.example/?location=%2Fb.example"),
            (
                "https://a.example/#top",
                "/",
                Some(TokenError::Expired),
                "https://a.example/?location=%2F&error=token_expired#top",
            ),
        ] {
            assert_eq!(sign_in_address(url, location, error), expect);
        }
    }

    #[test]
    fn visitors_read_what_they_prove() {
        let shared = Visitor { share_key: Some("key".to_owned()), ..Visitor::anonymous() };
        let signed_in = Visitor { signed_in: true, ..Visitor::anonymous() };
        for (visitor, expect) in [
            (Visitor::anonymous(), [true, true, false, false]),
            (shared.clone(), [true, true, true, false]),
            (signed_in, [true, true, false, true]),
            (Visitor { signed_in: true, ..shared }, [true, true, true, true]),
        ] {
            let reads = SiteVisibility::ALL.map(|visibility| visitor.reads(visibility, true));
            assert_eq!(reads, expect, "{visitor:?}");
            assert!(SiteVisibility::ALL.iter().all(|one| !visitor.reads(*one, false)));
        }
    }
}
