//! Content at an address of this server: of the application, of the API, or of a published site.

use bindery_model::{CollectionId, Result, SpaceId};
use bindery_outbound::Url;
use percent_encoding::percent_decode_str;

use super::SitePath;
use super::lookup::is_own_host;
use crate::Context;
use crate::publishing::published;
use crate::publishing::structure::SiteStructure;
use crate::review::change_requests::ChangeRequestKey;

/// Maximum length of an address in bytes.
const MAX_ADDRESS: usize = 4_096;
/// The part of an address of the application before the id or number of a change request.
const CHANGES: [&str; 2] = ["~", "changes"];

/// The content that an address names. It may not exist, and the caller may not see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ContentAddress {
    /// A collection.
    Collection(CollectionId),
    /// A space, or content in it.
    Space {
        /// The space.
        space: SpaceId,
        /// The change request.
        change_request: Option<ChangeRequestKey>,
        /// The path of the page, decoded; empty for the space itself.
        path: String,
    },
}

/// Returns the content that an address on a host of this server names.
///
/// # Errors
/// Returns an error if the store fails.
pub fn content_at(cx: &Context<'_>, address: &str) -> Result<Option<ContentAddress>> {
    if address.len() > MAX_ADDRESS {
        return Ok(None);
    }
    let Some(url) = Url::parse(address).ok().filter(|url| is_own_host(cx, url)) else {
        return Ok(None);
    };
    let Ok(path) = percent_decode_str(url.path()).decode_utf8() else { return Ok(None) };
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    Ok(match segments.as_slice() {
        ["app", "o", _, "c", id] | ["v1", "collections", id] => {
            CollectionId::parse(id).map(ContentAddress::Collection)
        }
        ["app", "o", _, "s", id, below @ ..] => in_space(id, below),
        ["v1", "spaces", id] => in_space(id, &[]),
        ["v1", "spaces", id, "change-requests", change_request] => {
            in_space(id, &[CHANGES[0], CHANGES[1], change_request])
        }
        ["app" | "v1", ..] => None,
        _ => on_site(cx, url.path())?,
    })
}

fn in_space(id: &str, below: &[&str]) -> Option<ContentAddress> {
    let space = SpaceId::parse(id)?;
    let (change_request, below) = match below {
        [first, second, key, below @ ..] if [*first, *second] == CHANGES => {
            (Some(ChangeRequestKey::parse(key)?), below)
        }
        below => (None, below),
    };
    Some(ContentAddress::Space { space, change_request, path: below.join("/") })
}

fn on_site(cx: &Context<'_>, path: &str) -> Result<Option<ContentAddress>> {
    let SitePath::Site { basename, below } = SitePath::parse(path) else { return Ok(None) };
    let Some(site) = published::find_by_basename(cx.tx, basename)? else { return Ok(None) };
    let structure = SiteStructure::load(cx.tx, site.id)?;
    let Ok(below) = percent_decode_str(below.unwrap_or_default()).decode_utf8() else {
        return Ok(None);
    };
    let found = structure.resolve(below.trim_matches('/'));
    Ok(found.map(|(site_space, rest)| ContentAddress::Space {
        space: site_space.space,
        change_request: None,
        path: rest.to_owned(),
    }))
}
