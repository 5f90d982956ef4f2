//! Callers of the API who read a published site without a role in its organization.

use bindery_model::Result;
use bindery_store::change_requests::ChangeRequest;
use bindery_store::sites::{self, Site, SiteFilter};
use bindery_store::spaces::Space;
use bindery_store::{Tx, site_share_links};

use super::SiteToken;
use crate::access::Reader;
use crate::publishing::adaptive::ClaimsOf;
use crate::publishing::audience::Visitor;
use crate::secrets::equal;

/// Maximum number of sites with a space that are searched for a share key.
const MAX_SITES: u32 = 100;

/// The reader of a published site, as far as the request proves it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SiteReader {
    /// A reader with a token of the site.
    Token(Box<SiteToken>),
    /// A reader with a share key that has this digest. The target of the request decides which site
    /// the key has to open.
    ShareKey([u8; 32]),
}

impl SiteReader {
    /// Returns `true` if the reader may read a site.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn reads_site(&self, tx: &Tx<'_>, site: &Site) -> Result<bool> {
        match self {
            Self::Token(token) => Ok(token.site.id == site.id),
            Self::ShareKey(digest) => {
                let links = site_share_links::list(tx, site.id)?.into_iter();
                let is_key = links
                    .filter(|link| link.active)
                    .fold(false, |found, link| found | equal(&link.key_digest, digest));
                Ok(is_key && Reader::ShareKey.sees(site.visibility, site.published))
            }
        }
    }

    /// Returns `true` if the reader may read the content of a space that a site shows.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn reads_space(&self, tx: &Tx<'_>, space: &Space) -> Result<bool> {
        match self {
            Self::Token(token) => Ok(token.spaces.contains(&space.id)),
            Self::ShareKey(_) => {
                let filter = SiteFilter {
                    space: Some(space.id),
                    published: Some(true),
                    ..SiteFilter::default()
                };
                for site in sites::list(tx, space.organization, &filter, None, MAX_SITES)? {
                    if self.reads_site(tx, &site)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// Returns the visitor for whom conditions are evaluated, if the site has adaptive content.
    pub fn adaptive_visitor(&self) -> Option<&Visitor> {
        match self {
            Self::Token(token) => Some(&token.visitor).filter(|_| token.site.adaptive),
            Self::ShareKey(_) => None,
        }
    }

    /// Returns the claims of the visitor, if the site has adaptive content.
    ///
    /// # Errors
    /// Returns an error if the claims cannot be encoded, which does not happen for claims from JSON.
    pub fn claims(&self) -> Result<Option<ClaimsOf>> {
        self.adaptive_visitor().map(ClaimsOf::visitor).transpose()
    }

    /// Returns the change request of a space whose content the reader may read.
    pub fn previewed(&self, space: &Space) -> Option<&ChangeRequest> {
        match self {
            Self::Token(token) => {
                token.change_request.as_ref().filter(|proposed| proposed.space == space.id)
            }
            Self::ShareKey(_) => None,
        }
    }
}
