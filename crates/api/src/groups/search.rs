//! `searchSpaceContent`, `searchOrganizationContent` and `searchSiteContent`: search the pages of a
//! space, of the spaces of an organization, and of the spaces of a site.
//!
//! A page of a result has at most `limit` pages of content; `count` is the number of all that match.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::spaces::{self, Space};
use bindery_app::people::organizations::Organization;
use bindery_app::publishing::adaptive::Answers;
use bindery_app::publishing::customization;
use bindery_app::publishing::published::{ReadableSite, ReadableSpace};
use bindery_app::publishing::sites::SiteSpace;
use bindery_app::publishing::structure::{SearchScope, SiteStructure};
use bindery_app::search::{Found, Mode, SearchedSpace, Sight, Wanted, search};
use bindery_model::{Error, FieldPath, Result, SiteSpaceId, SpaceId};
use bindery_wire::request::{
    SearchSiteContentBody, SiteSearchScope, SiteSearchScopeDefault, SiteSearchScopeSpecific,
};
use bindery_wire::values::SearchSiteContentBodyMode;
use bindery_wire::{List, Next};

use super::site_structure::readable_space;
use crate::call::Call;
use crate::lists::Page;
use crate::operation::{Operation, read_long, read_with_body};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read_long("searchSpaceContent", Action::ReadSpace, search_space_content),
        read_long("searchOrganizationContent", Action::ViewOrganization, search_organization),
        read_with_body("searchSiteContent", Action::ReadSite, search_site_content),
    ]
}

/// `searchSpaceContent`: searches the pages of a space.
fn search_space_content(
    cx: &Context<'_>,
    space: &Authorized<ReadableSpace>,
    call: &Call,
) -> Result<Reply> {
    let text = call.query.text("query").unwrap_or_default();
    let searched: Vec<SearchedSpace> = searched(space, 1.0).into_iter().collect();
    let organization = space.space.organization;
    let (found, list) = results(cx, call, &searched, text, &[])?;
    let items = found.pages.into_iter().map(|hit| present::found_page(cx.app, organization, hit));
    Reply::json(200, &list(items.collect()))
}

/// `searchOrganizationContent`: searches the pages of the spaces of an organization that the caller
/// can read.
fn search_organization(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    call: &Call,
) -> Result<Reply> {
    let text = call.query.text("query").unwrap_or_default();
    let (mut listed, _) = spaces::list(cx, organization.id, None, u32::MAX)?;
    listed.retain(|listed| listed.outline.space.deleted_at.is_none());
    let searched: Vec<SearchedSpace> = listed
        .iter()
        .map(|listed| listed.outline.space.id)
        .map(|id| SearchedSpace { id, sight: Sight::Everything, weight: 1.0 })
        .collect();
    let (found, list) = results(cx, call, &searched, text, &[])?;
    listed.retain(|listed| found.pages.iter().any(|hit| hit.space == listed.outline.space.id));
    let loaded = spaces::load(cx, listed)?;
    let title = |id: SpaceId| {
        let seen = loaded.iter().find(|seen| seen.space.id == id)?;
        Some(seen.space.title.clone())
    };
    Reply::json(200, &list(present::found_spaces(cx.app, organization.id, found, title)))
}

/// `searchSiteContent`: searches the pages of the spaces of a site.
fn search_site_content(
    cx: &Context<'_>,
    site: &Authorized<ReadableSite>,
    call: &Call,
) -> Result<Reply> {
    let body: SearchSiteContentBody = call.body()?;
    let structure = SiteStructure::load(cx.tx, site.0.id)?;
    let mut shown: Vec<(SiteSpace, ReadableSpace)> = Vec::new();
    for site_space in structure.site_spaces {
        if let Some((readable, _)) = readable_space(cx, &site_space)? {
            shown.push((site_space, readable));
        }
    }
    let query = body.query.clone();
    let scope = scope_of(body, |id| shown.iter().any(|(one, _)| one.id == id))?;
    let languages: Vec<Option<String>> = shown
        .iter()
        .map(|(one, readable)| one.language.clone().or_else(|| readable.space.language.clone()))
        .collect();
    let candidates: Vec<_> =
        shown.iter().map(|(one, _)| one).zip(languages.iter().map(Option::as_deref)).collect();
    let current = match &scope {
        SearchScope::Default(current) => *current,
        SearchScope::Specific(_) | SearchScope::All => None,
    };
    let within = scope.weighted(&candidates, current);
    let searched: Vec<SearchedSpace> = within
        .into_iter()
        .filter_map(|(id, weight)| {
            let (_, readable) = shown.iter().find(|(one, _)| one.id == id)?;
            searched(readable, weight)
        })
        .collect();
    let synonyms = customization::synonyms(&customization::of_site(cx.tx, site.0.id)?);
    let (found, list) = results(cx, call, &searched, &query, &synonyms)?;
    let title = |id: SpaceId| {
        let (one, readable) = shown.iter().find(|(one, _)| one.space == id)?;
        let Space { title, .. } = &readable.space;
        Some(if one.title.is_empty() { title } else { &one.title }.clone())
    };
    let organization = site.0.organization;
    Reply::json(200, &list(present::found_spaces(cx.app, organization, found, title)))
}

/// Returns the scope of a search on a site. `is_shown` returns `true` for the site spaces that the
/// caller sees.
fn scope_of(
    body: SearchSiteContentBody,
    is_shown: impl Fn(SiteSpaceId) -> bool,
) -> Result<SearchScope> {
    use SearchSiteContentBodyMode as OlderMode;

    let SearchSiteContentBody { query: _, scope, mode, site_space_ids, site_space_id } = body;
    let named = |at: String, id: &str| -> Result<SiteSpaceId> {
        let known = SiteSpaceId::parse(id).filter(|id| is_shown(*id));
        known.ok_or_else(|| FieldPath::new(at).not_found("site space"))
    };
    let all_named = |at: &str, ids: &[String]| -> Result<SearchScope> {
        let ids = ids.iter().enumerate().map(|(n, id)| named(format!("{at}/{n}"), id));
        Ok(SearchScope::Specific(ids.collect::<Result<_>>()?))
    };
    match (scope, mode, site_space_ids, site_space_id) {
        (Some(SiteSearchScope::All(_)), ..) | (None, Some(OlderMode::All), ..) => {
            Ok(SearchScope::All)
        }
        (Some(SiteSearchScope::Default(SiteSearchScopeDefault { current_site_space })), ..) => {
            let current = current_site_space.map(|id| named("/scope/currentSiteSpace".into(), &id));
            Ok(SearchScope::Default(current.transpose()?))
        }
        (Some(SiteSearchScope::Specific(SiteSearchScopeSpecific { site_space_ids })), ..) => {
            all_named("/scope/siteSpaceIds", &site_space_ids)
        }
        (None, Some(OlderMode::Current), _, Some(id)) => {
            Ok(SearchScope::Default(Some(named("/siteSpaceId".into(), &id)?)))
        }
        (None, _, Some(ids), _) => all_named("/siteSpaceIds", &ids),
        _ => Err(Error::invalid(
            "body: found no scope, allowed: \"scope\", or \"mode\" with its site spaces",
        )),
    }
}

/// Returns the part of a space to search. A preview has none: the index has only main content.
fn searched(readable: &ReadableSpace, weight: f32) -> Option<SearchedSpace> {
    let sight = if readable.visitor { Sight::AsVisitor } else { Sight::Everything };
    let is_indexed = readable.previewed.is_none();
    is_indexed.then_some(SearchedSpace { id: readable.space.id, sight, weight })
}

/// Searches for the requested page of a result. Also returns the envelope for its items.
fn results<T>(
    cx: &Context<'_>,
    call: &Call,
    searched: &[SearchedSpace],
    text: &str,
    synonyms: &[Vec<String>],
) -> Result<(Found, impl FnOnce(Vec<T>) -> List<T>)> {
    let page = Page::of(cx.app, call)?;
    let offset: usize = page.after().and_then(|after| after.parse().ok()).unwrap_or(0);
    let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
    let answers = Answers::new(cx.visitor_claims()?);
    let wanted = Wanted { text, mode: Mode::Full, synonyms, offset, limit };
    let found = search(cx.app, &answers, searched, wanted)?;
    let count = u64::try_from(found.total).ok();
    let end = offset.saturating_add(found.pages.len());
    let has_next = !found.pages.is_empty() && end < found.total;
    let next = has_next.then(|| Next { page: page.cursor(&end.to_string()) });
    Ok((found, move |items| List { next, count, items }))
}
