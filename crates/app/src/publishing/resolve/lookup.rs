//! The published content at an address, for clients that render sites themselves.

use bindery_model::{
    ChangeRequestId, Error, Id, OrganizationId, Result, RevisionId, SiteId, SiteSectionId,
    SiteSpaceId, SpaceId,
};
use bindery_outbound::Url;
use bindery_revision::tree::Tree;
use bindery_store::change_requests::ChangeRequest;
use bindery_store::revisions;
use bindery_store::sites::{self, Site};
use bindery_store::spaces::Space;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::addresses::{Addressed, AddressedSite};
use super::place;
use super::site_tokens::{self, Grant};
use crate::Context;
use crate::access::{Action, Caller, authorize_target};
use crate::content::snapshot::{self, broken_object};
use crate::publishing::adaptive::{self, UnsignedClaims, stated_text};
use crate::publishing::audience::jwt::Claims;
use crate::publishing::audience::preview::{self, PREVIEW_PARAMETER};
use crate::publishing::audience::{Admission, Audience, Presented, PreviewRight, Visitor};
use crate::publishing::sites::SiteTarget;

/// The host of addresses of previews that are resolved with the credentials of a member.
const PREVIEW_HOST: &str = "preview";

/// A request for the content at an address.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a> {
    /// The address.
    pub url: &'a str,
    /// The token of the visitor, signed with the key of the site.
    pub token: Option<&'a str>,
    /// Claims that the visitor states without a signature.
    pub unsigned_claims: &'a Claims,
    /// `true` if a visitor whose token is not accepted is sent to the fallback address.
    pub redirect_on_error: bool,
}

/// The place that a redirect leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RedirectTarget {
    /// A page of another server, such as the one that signs visitors in.
    External,
    /// The same content at the address at which readers should find it.
    Content,
    /// The application.
    Application,
}

/// The result of a lookup.
#[derive(Clone, Debug)]
pub enum Resolution {
    /// Published content.
    Content(Box<PublishedContent>),
    /// Another address that the visitor is sent to.
    Redirect(RedirectTarget, String),
}

/// The published content at an address.
#[derive(Clone, Debug)]
pub struct PublishedContent {
    /// The organization of the site.
    pub organization: OrganizationId,
    /// The site.
    pub site: SiteId,
    /// The section; `None` for a site without sections.
    pub site_section: Option<SiteSectionId>,
    /// The site space.
    pub site_space: SiteSpaceId,
    /// The space.
    pub space: SpaceId,
    /// The change request whose content a preview shows, with its revision.
    pub change_request: Option<(ChangeRequestId, RevisionId)>,
    /// The path of the page in the space, encoded, with a leading slash.
    pub pathname: String,
    /// The path of the space in the given address.
    pub base_path: String,
    /// The path of the site in the given address.
    pub site_base_path: String,
    /// The share key in the given address.
    pub share_key: Option<String>,
    /// A token to read the content of the site.
    pub api_token: String,
    /// `true` if no longer address that begins like the given one leads to another space.
    pub complete: bool,
    /// Identifies the claims of the visitor; `None` without claims.
    pub context: Option<Id>,
    /// The address that search engines should use.
    pub canonical_url: String,
}

/// Resolves an address to the published content that the visitor may read.
///
/// # Errors
/// Returns 404 if there is no content at the address for the visitor, 401 if the token of the
/// visitor is not accepted, and 400 if the claims are too long.
pub fn resolve(cx: &Context<'_>, lookup: Lookup<'_>) -> Result<Resolution> {
    let url = Url::parse(lookup.url).map_err(|_| absent())?;
    if url.host_str() == Some(PREVIEW_HOST) {
        return previewed_by_member(cx, &url)?.content(cx, lookup.unsigned_claims);
    }
    let located = match Addressed::find(cx, &url)?.ok_or_else(absent)? {
        Addressed::Application => {
            return Ok(Resolution::Redirect(RedirectTarget::Application, url.to_string()));
        }
        Addressed::Preview(rest) => previewed_by_link(cx, &url, rest)?,
        Addressed::Site(addressed) => match visited(cx, lookup, &url, &addressed)? {
            Visit::Admitted(_) if addressed.has_moved => {
                let address = moved(cx, &url, &addressed);
                return Ok(Resolution::Redirect(RedirectTarget::Content, address));
            }
            Visit::Admitted(located) => *located,
            Visit::Redirected(address) => {
                return Ok(Resolution::Redirect(RedirectTarget::External, address));
            }
        },
    };
    located.content(cx, lookup.unsigned_claims)
}

fn absent() -> Error {
    Error::not_found("published content")
}

/// A site with its visitor, and the path of an address below the site.
struct Located {
    site: Site,
    audience: Audience,
    visitor: Visitor,
    /// The path of the site in the address.
    base: String,
    /// The path below the base, without slashes at its ends.
    path: String,
    change_request: Option<ChangeRequest>,
    /// `false` if the next segment of a longer address can belong to the base.
    is_base_final: bool,
}

/// The result of a visit to a published site.
enum Visit {
    Admitted(Box<Located>),
    Redirected(String),
}

/// Identifies the visitor of a published site and admits them.
fn visited(
    cx: &Context<'_>,
    lookup: Lookup<'_>,
    url: &Url,
    addressed: &AddressedSite<'_>,
) -> Result<Visit> {
    let AddressedSite { site, base, below, has_moved: _ } = addressed;
    let audience = Audience::load(cx.app, cx.tx, site)?;
    let parameter = |name: &str| {
        let pair = url.query_pairs().find(|(known, _)| known == name);
        pair.map(|(_, value)| value.into_owned())
    };
    let below = below.trim_matches('/');
    let (first, rest) = below.split_once('/').unwrap_or((below, ""));
    let has_key = Id::parse(first).is_some() && audience.is_share_key(&cx.app.secrets, first);
    let (base, path) = match has_key {
        true => (format!("{base}{first}/"), rest),
        false => (base.clone(), below),
    };
    let share_key = if has_key { Some(first.to_owned()) } else { parameter("shareKey") };
    let token = lookup.token.map(str::to_owned).or_else(|| parameter("jwt_token"));
    let presented = Presented { share_key: share_key.as_deref(), token: token.as_deref() };
    let (visitor, error) = audience.identify(&cx.app.secrets, presented, cx.now());
    match audience.admit(&visitor, &format!("/{path}"), error) {
        Admission::Admitted => {}
        Admission::Absent => return Err(absent()),
        Admission::SignIn(address) => {
            return match error {
                Some(error) if !lookup.redirect_on_error => {
                    Err(Error::unauthenticated(format!("the token of the visitor: {error}")))
                }
                _ => Ok(Visit::Redirected(address)),
            };
        }
    }
    let is_base_final = has_key || !path.is_empty() || !audience.has_share_keys();
    Ok(Visit::Admitted(Box::new(Located {
        path: path.to_owned(),
        site: site.clone(),
        audience,
        visitor,
        base,
        change_request: None,
        is_base_final,
    })))
}

/// Returns the address at which readers should find what an address leads to.
fn moved(cx: &Context<'_>, url: &Url, addressed: &AddressedSite<'_>) -> String {
    let mut address = format!("{}{}", cx.app.urls.site(&addressed.site), addressed.below);
    for (mark, part) in [('?', url.query()), ('#', url.fragment())] {
        if let Some(part) = part {
            address.push(mark);
            address.push_str(part);
        }
    }
    address
}

/// Returns the preview of a site with the credentials of the caller, at an address such as
/// `https://preview/<site>/<path>`.
fn previewed_by_member(cx: &Context<'_>, url: &Url) -> Result<Located> {
    let path = url.path().trim_start_matches('/');
    let (id, below) = path.split_once('/').unwrap_or((path, ""));
    let site = match SiteId::parse(id) {
        Some(id) => sites::get(cx.tx, id)?,
        None => None,
    };
    let site = site.ok_or_else(absent)?;
    let Caller::Person(person) = cx.caller else { return Err(absent()) };
    let key = (site.organization, site.id);
    let site = authorize_target::<SiteTarget>(cx.tx, cx.caller, Action::ReadSite, Some(&key))
        .map_err(|_| absent())?
        .into_inner()
        .0;
    let reader = preview::reader(cx.tx, &site, person.user, person.credential, cx.now())?;
    let visitor = Visitor {
        preview: Some(reader.ok_or_else(absent)?),
        signed_in_until: person.lineage.expires_at,
        ..Visitor::anonymous()
    };
    previewed(cx, site, visitor, &format!("/{id}/"), below)
}

/// Returns the preview that an address with the token of a preview opens. `rest` begins with the id
/// of the site.
fn previewed_by_link(cx: &Context<'_>, url: &Url, rest: &str) -> Result<Located> {
    let (id, below) = rest.split_once('/').unwrap_or((rest, ""));
    let site = match SiteId::parse(id) {
        Some(id) => sites::get(cx.tx, id)?,
        None => None,
    };
    let site = site.ok_or_else(absent)?;
    let token = url.query_pairs().find(|(name, _)| name == PREVIEW_PARAMETER);
    let (_, token) = token.ok_or_else(absent)?;
    let visitor = preview::open(cx.app, cx.tx, &site, &token)?.ok_or_else(absent)?;
    // The address of a branch shows pages of the change request only, and no API content.
    if visitor
        .preview
        .as_ref()
        .is_some_and(|reader| matches!(reader.right, PreviewRight::Branch(_)))
    {
        return Err(absent());
    }
    let base = format!("{}{id}/", preview::PREVIEW_PATH);
    previewed(cx, site, visitor, &base, below)
}

/// Returns a preview with the content of the change request that the path names, if any.
fn previewed(
    cx: &Context<'_>,
    site: Site,
    visitor: Visitor,
    base: &str,
    below: &str,
) -> Result<Located> {
    let (base, path, change_request) =
        match (below.strip_prefix(preview::CHANGES), &visitor.preview) {
            (Some(named), Some(reader)) => {
                let (key, rest) = named.split_once('/').unwrap_or((named, ""));
                let found = preview::change_request(cx.tx, reader, key)?.ok_or_else(absent)?;
                (format!("{base}{}{key}/", preview::CHANGES), rest, Some(found))
            }
            _ => (base.to_owned(), below, None),
        };
    let path = path.trim_matches('/');
    Ok(Located {
        audience: Audience::load(cx.app, cx.tx, &site)?,
        is_base_final: change_request.is_some() || !path.is_empty(),
        path: path.to_owned(),
        site,
        visitor,
        base,
        change_request,
    })
}

impl Located {
    /// Returns the content at the address, with a token to read it.
    fn content(self, cx: &Context<'_>, unsigned_claims: &Claims) -> Result<Resolution> {
        let Self { site, audience, mut visitor, base, path, change_request, is_base_final } = self;
        visitor.unsigned_claims = match site.adaptive {
            true => allowed(cx, &site, unsigned_claims)?,
            false => unsigned_claims.clone(),
        };
        let shown = site_tokens::shown(cx.tx, &site, &visitor)?.ok_or_else(absent)?;
        let revision_of = |space: &Space| {
            let proposed = change_request.as_ref().filter(|proposed| proposed.space == space.id);
            proposed.map_or(space.head, |proposed| proposed.head)
        };
        let content: Vec<(SpaceId, RevisionId)> =
            shown.spaces.iter().map(|(_, space)| (space.id, revision_of(space))).collect();
        let place = |path| place(&shown.structure, path).ok_or_else(absent);
        let (site_space, rest, is_final) = place(&path)?;
        // Addresses leave out the names of the default section and variant, unless a page has them.
        let short = shown.structure.without_default_names(&path);
        let short = match short {
            Some(short) if !has_page(cx, &content, site_space.space, rest)? => Some(short),
            _ => None,
        };
        let (site_space, rest, is_final) = match &short {
            Some(short) => place(short)?,
            None => (site_space, rest, is_final),
        };
        let grant = Grant {
            site: &site,
            audience: &audience,
            visitor: &visitor,
            content: &content,
            change_request: change_request.as_ref(),
        };
        let api_token = site_tokens::create(cx.app, grant)?;
        let claims = site_tokens::visitor_claims(&visitor);
        let below = shown.structure.site_space_path(site_space);
        let space = site_space.space;
        let base_path = match short {
            Some(_) => {
                let named = path.strip_suffix(rest).unwrap_or(&path).trim_end_matches('/');
                format!("{base}{named}/")
            }
            None => format!("{base}{below}"),
        };
        Ok(Resolution::Content(Box::new(PublishedContent {
            organization: site.organization,
            site: site.id,
            site_section: site_space.section,
            site_space: site_space.id,
            space,
            change_request: change_request
                .filter(|proposed| proposed.space == space)
                .map(|proposed| (proposed.id, proposed.head)),
            pathname: format!("/{}", rest),
            base_path,
            site_base_path: base,
            complete: is_base_final && is_final,
            context: (!claims.is_empty()).then(|| context_id(claims)),
            canonical_url: format!("{}{below}{}", cx.app.urls.site(&site), rest),
            share_key: visitor.share_key,
            api_token,
        })))
    }
}

/// Returns `true` if the content of a space has a page at an encoded path.
fn has_page(
    cx: &Context<'_>,
    content: &[(SpaceId, RevisionId)],
    space: SpaceId,
    path: &str,
) -> Result<bool> {
    let revision = content.iter().find(|(known, _)| *known == space);
    let Some((_, revision)) = revision else { return Ok(false) };
    let Some(revision) = revisions::get(cx.tx, space, *revision)? else { return Ok(false) };
    let objects = cx.tx.objects();
    let content = snapshot::content(&objects, &revision.object)?;
    let path = percent_decode_str(path).decode_utf8_lossy();
    let found = Tree::new(&content, &objects).by_path(&path).map_err(broken_object)?;
    Ok(found.is_some())
}

/// Returns the claims without a signature that the schema of a site allows.
fn allowed(cx: &Context<'_>, site: &Site, claims: &Claims) -> Result<Claims> {
    let Some(schema) = adaptive::load(cx.tx, site)? else { return Ok(Claims::new()) };
    let mut stated = UnsignedClaims::default();
    stated.add_object(&stated_text(claims));
    Ok(stated.allowed(&schema))
}

/// Returns an id for claims. Equal claims have equal ids.
fn context_id(claims: Claims) -> Id {
    let text = Value::Object(claims).to_string();
    Id::derived(&blake3::derive_key("bindery 2026 contexts of visitors", text.as_bytes()))
}
