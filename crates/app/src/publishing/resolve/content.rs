//! Content at an address of this server: of the application, of the API, or of a published site.

use bindery_model::{CollectionId, Result, SpaceId};
use bindery_outbound::Url;
use percent_encoding::percent_decode_str;

use super::addresses::{Addressed, AddressedSite};
use crate::Context;
use crate::access::{self, Caller, Reader};
use crate::publishing::adaptive::Answers;
use crate::publishing::published;
use crate::publishing::sites::Site;
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
    let Ok(url) = Url::parse(address) else { return Ok(None) };
    match Addressed::find(cx, &url)? {
        Some(Addressed::Application) => Ok(in_application(&url)),
        Some(Addressed::Site(addressed)) => on_site(cx, &addressed),
        Some(Addressed::Preview(_)) | None => Ok(None),
    }
}

fn in_application(url: &Url) -> Option<ContentAddress> {
    let path = percent_decode_str(url.path()).decode_utf8().ok()?;
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    match segments.as_slice() {
        ["app", "o", _, "c", id] | ["v1", "collections", id] => {
            CollectionId::parse(id).map(ContentAddress::Collection)
        }
        ["app", "o", _, "s", id, below @ ..] => in_space(id, below),
        ["v1", "spaces", id] => in_space(id, &[]),
        ["v1", "spaces", id, "change-requests", change_request] => {
            in_space(id, &[CHANGES[0], CHANGES[1], change_request])
        }
        _ => None,
    }
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

fn on_site(cx: &Context<'_>, addressed: &AddressedSite<'_>) -> Result<Option<ContentAddress>> {
    let Some(structure) = structure_for(cx, &addressed.site)? else { return Ok(None) };
    let Ok(below) = percent_decode_str(addressed.below).decode_utf8() else { return Ok(None) };
    let found = structure.resolve(below.trim_matches('/'));
    Ok(found.map(|(site_space, rest)| ContentAddress::Space {
        space: site_space.space,
        change_request: None,
        path: rest.to_owned(),
    }))
}

/// Returns the part of a site's structure that the caller sees; `None` if the caller does not see
/// the site.
fn structure_for(cx: &Context<'_>, site: &Site) -> Result<Option<SiteStructure>> {
    let role = match cx.caller {
        Caller::Person(person) => access::site_access(cx.tx, person, site)?.role(),
        Caller::Anonymous | Caller::Visitor(_) => None,
    };
    if role.is_some() {
        return SiteStructure::load(cx.tx, site.id).map(Some);
    }
    let (reads, answers) = match cx.caller {
        Caller::Visitor(reader) => {
            (reader.reads_site(cx.tx, site)?, Answers::new(reader.claims()?))
        }
        Caller::Anonymous | Caller::Person(_) => {
            (Reader::Public.sees(site.visibility, site.published), Answers::new(None))
        }
    };
    if !reads {
        return Ok(None);
    }
    let shown = published::load_site_with(cx.tx, site.id, &answers)?;
    Ok(shown.map(|shown| shown.structure))
}
