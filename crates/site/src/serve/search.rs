//! Searches in published sites: a page with the results, which needs no scripts, and the same results
//! as a part of a page for the script that shows them while the reader types. The script also asks for
//! the pages that are related to a page, when the reader comes to its end.
//!
//! Each space of a site has an address for searches, `~search` below its own, so that the results
//! come in the language and the looks of the space, and from it first.

use std::collections::HashMap;
use std::sync::Arc;

use bindery_app::App;
use bindery_app::publishing::customization;
use bindery_app::publishing::structure::{SearchScope, SiteStructure};
use bindery_app::search::{
    self, Found, MAX_QUERY_CHARS, MAX_RANK, Mode, NameHit, PageHit, PageKey, SearchedSpace,
    SectionHit, Sight, Wanted,
};
use bindery_http::query_pairs;
use bindery_model::{ErrorKind, PageId, Result, SiteSectionId, SiteSpaceId, SpaceId};
use http::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::limiter::Size;
use super::page::{PageContext, noindexed};
use super::site_cache::{LoadedSite, LoadedSpace};
use super::validity::ReadTracker;
use super::visitors::Admitted;
use super::{
    Answer, PageRequest, RenderedResponse, SiteRequest, Sites, changes, insights, plain,
    with_cookie,
};
use crate::feeds;
use crate::http::{CacheControl, PreparedResponse};
use crate::i18n::{Messages, messages};
use crate::urls::{self, Route};
use crate::view::navigation::{Limits, navigation};
use crate::view::{
    Filter, FilterGroup, FoundPage, FoundSection, FoundView, Marked, SearchView, Suggestion,
    render_related, render_result, render_search,
};

/// The end of the address for searches.
pub(super) const NAME: &str = "~search";
/// The number of pages on a page of results.
const PAGE_LIMIT: usize = 10;
/// The number of pages that the script shows.
const INSTANT_LIMIT: usize = 8;
/// The beginning of the addresses of related pages.
const RELATED: &str = "~related/";
/// Maximum number of related pages.
const MAX_RELATED: usize = 4;
/// Maximum number of sections of a page that was found.
const MAX_SECTIONS: usize = 3;

/// Returns the path of the space in an address for searches, given below the base of the site.
pub(super) fn space_path(below: &str) -> Option<&str> {
    let path = below.strip_suffix(NAME)?;
    match path {
        "" => Some(path),
        _ => path.strip_suffix('/'),
    }
}

/// Returns the address for searches from the pages of a space.
pub(super) fn address(site: &LoadedSite, space: &LoadedSpace) -> String {
    format!("{}{NAME}", site.space_base(space))
}

/// Returns the address of the pages that are related to the page at `href`.
pub(super) fn related_address(site: &LoadedSite, href: &str) -> String {
    urls::of_page(&site.base(), RELATED, href)
}

/// Returns the path of the page in an address of related pages, given after `~`.
pub(super) fn related_path(reserved: &str) -> Option<&str> {
    reserved.strip_prefix(RELATED.trim_start_matches('~')).map(urls::page_of)
}

/// Responds with the pages that are related to the page at a path, as a part of a page.
pub(super) fn related(request: &SiteRequest<'_>, path: &str) -> Result<RenderedResponse> {
    let site = request.site;
    let Some((space, rest)) = site.resolve(path) else { return Ok(absent()) };
    let objects = request.tx.objects();
    let objects = ReadTracker::without_record(&objects, space.space.id);
    let context = PageContext::new(request, space, &objects)?;
    let Some(page) = context.find(rest)? else { return Ok(absent()) };
    let scope = SearchScope::Default(Some(space.site_space.id));
    let spaces = searched(site, space, &scope);
    let key = PageKey { space: space.space.id, page };
    let revision = space.snapshot.row.id;
    let limit = MAX_RELATED;
    let found = search::related(request.app, request.answers, &spaces, key, revision, limit);
    // Nothing is shown until the index has the present content.
    let Some(hits) = available(found)?.flatten() else { return Ok(absent()) };
    let messages = messages(space.interface_language());
    let html = render_related(messages, &suggestions(request, hits, messages)?);
    Ok(noindexed(PreparedResponse::page(html, CacheControl::Revalidate)).into())
}

/// Returns the pages of the site whose names resemble a path of a space, which has no page there.
pub(super) fn nearest(
    context: &PageContext<'_>,
    path: &str,
    limit: usize,
) -> Result<Vec<Suggestion>> {
    let PageContext { app, tx, site, space, texts, not_found, budget, answers, .. } = *context;
    let path: String = path.chars().take(MAX_QUERY_CHARS).collect();
    let spaces = searched(site, space, &SearchScope::Default(Some(space.site_space.id)));
    let hits = available(search::nearest(app, answers, &spaces, &path, limit))?.unwrap_or_default();
    let request = SiteRequest { app, tx, site, texts, not_found, budget, answers };
    suggestions(&request, hits, messages(space.interface_language()))
}

/// Returns the pages that were found, without those that readers do not see any more.
fn suggestions(
    request: &SiteRequest<'_>,
    hits: Vec<NameHit>,
    messages: &Messages,
) -> Result<Vec<Suggestion>> {
    let found: Vec<_> = hits.iter().map(|hit| (hit.space, hit.page)).collect();
    let addresses = addresses(request, &found)?;
    let pages = hits.into_iter().filter_map(|hit| {
        let href = addresses.get(&(hit.space, hit.page))?.clone();
        Some(Suggestion {
            title: title_of(hit.title, messages),
            href,
            ancestors: Some(hit.ancestors.join(" / ")).filter(|above| !above.is_empty()),
        })
    });
    Ok(pages.collect())
}

/// Returns the result of the search engine; `None` while it does not answer.
pub(super) fn available<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::Unavailable => Ok(None),
        Err(error) => Err(error),
    }
}

fn absent() -> RenderedResponse {
    let kind = "text/plain; charset=utf-8";
    PreparedResponse::new(404, kind, CacheControl::Revalidate, "not found\n").into()
}

/// Responds with the description of the site's search for browsers.
pub(super) fn describe(request: &SiteRequest<'_>) -> RenderedResponse {
    let SiteRequest { app, site, .. } = request;
    let address = format!("{}{}{NAME}", site.origin(&app.urls), site.base());
    let text = feeds::open_search(changes::site_title(site), &address);
    let kind = "application/opensearchdescription+xml; charset=utf-8";
    PreparedResponse::new(200, kind, CacheControl::Revalidate, text).into()
}

/// The query of an address for searches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Asked {
    text: String,
    /// The part of the site: the id of a section or of a site space, or [`EVERYTHING`].
    within: String,
    /// The page of the results, counted from 1.
    page: usize,
    /// `true` if only the results are wanted, without a page around them.
    is_instant: bool,
}

/// The value of `in` that searches all variants of all sections.
const EVERYTHING: &str = "all";

impl Asked {
    fn parse(query: &str) -> Self {
        let pairs = query_pairs(query).unwrap_or_default();
        let value = |name: &str| {
            let pair = pairs.iter().find(|(key, _)| key == name);
            pair.map(|(_, value)| value.as_str()).unwrap_or_default()
        };
        let last = MAX_RANK / PAGE_LIMIT;
        Self {
            // A space at the end shows that the last word is complete.
            text: value("q").trim_start().chars().take(MAX_QUERY_CHARS).collect(),
            within: value("in").to_owned(),
            page: value("page").parse().unwrap_or(1).clamp(1, last),
            is_instant: value("part") == "results",
        }
    }

    /// Returns the address of a page of these results, or of those in another part of the site.
    fn address(&self, action: &str, within: &str, page: usize) -> String {
        let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let mut address = format!("{action}?q={}", encode(self.text.trim_end()));
        if !within.is_empty() {
            address.push_str(&format!("&in={}", encode(within)));
        }
        if page > 1 {
            address.push_str(&format!("&page={page}"));
        }
        address
    }
}

impl Sites {
    /// Responds to a search from the pages of the space at a path of a site, by a visitor who was
    /// admitted to the site.
    pub(super) async fn search(
        &self,
        app: &Arc<App>,
        site: Arc<LoadedSite>,
        admitted: &Admitted,
        space_path: &str,
        request: PageRequest<'_>,
    ) -> Result<Answer> {
        let path = match urls::route(space_path) {
            Route::Page(path) => path,
            _ => return Ok(plain(404, "not found\n").into()),
        };
        let _client = self.clients.acquire(request.address).await;
        let _permit = self.limiter.acquire(Size::Small, site.site.organization).await;
        let asked = Arc::new(Asked::parse(request.query));
        let (asked_here, path_here) = (Arc::clone(&asked), path.clone());
        let response = self
            .read_as_visitor(app, Arc::clone(&site), admitted.claims.clone(), move |request| {
                let space = request.site.resolve(&path_here);
                let space = space.filter(|(_, rest)| rest.is_empty()).map(|(space, _)| space);
                space.map(|space| respond(request, space, &asked_here)).transpose()
            })
            .await?;
        let Some((response, found)) = response else {
            return Ok(plain(404, "not found\n").into());
        };
        let cookie = site.resolve(&path).and_then(|(space, _)| {
            let visit = insights::Visit { site: &site, space, visitor: &admitted.visitor, request };
            let query = asked.text.trim_end();
            match found {
                _ if asked.page > 1 || *request.method == Method::HEAD => None,
                Some(total) => visit.record_query(app, query, total, asked.is_instant),
                None if query.is_empty() && !asked.is_instant => visit.record_search(app),
                None => None,
            }
        });
        Ok(with_cookie(Arc::new(response.unlisted(true)), cookie, request))
    }
}

/// Returns the response to a search, and the number of pages that were found; `None` if nothing was
/// searched.
fn respond(
    request: &SiteRequest<'_>,
    space: &LoadedSpace,
    asked: &Asked,
) -> Result<(PreparedResponse, Option<usize>)> {
    let messages = messages(space.interface_language());
    let action = address(request.site, space);
    let filters = filters(request.site, space, &asked.within, messages);
    let query = asked.text.trim_end().to_owned();
    let found = match query.is_empty() {
        true => None,
        false => Some(find(request, space, asked, &action, messages)?),
    };
    let is_unavailable = found.as_ref().is_some_and(|found| found.is_unavailable);
    let total = found.as_ref().filter(|found| !found.is_unavailable).map(|found| found.total);
    let search = SearchView { action, query, filters, found };
    let html = if asked.is_instant {
        render_result(messages, &search)
    } else {
        let objects = request.tx.objects();
        let objects = ReadTracker::without_record(&objects, space.space.id);
        let context = PageContext::new(request, space, &objects)?;
        let pages = navigation(&context.tree, &[], &Limits::default())?;
        render_search(&context.view(None)?, &pages, &search)
    };
    let status = if is_unavailable { 503 } else { 200 };
    let kind = "text/html; charset=utf-8";
    let response = PreparedResponse::new(status, kind, CacheControl::Private, html).sent_once();
    Ok((response, total))
}

/// Searches, and returns the requested part of the result.
fn find(
    request: &SiteRequest<'_>,
    space: &LoadedSpace,
    asked: &Asked,
    action: &str,
    messages: &Messages,
) -> Result<FoundView> {
    let site = request.site;
    let scope = scope(site, space, &asked.within);
    let is_limited = scope != SearchScope::All && site.spaces.len() > 1;
    let limit = if asked.is_instant { INSTANT_LIMIT } else { PAGE_LIMIT };
    let wanted = Wanted {
        text: &asked.text,
        mode: Mode::Typing,
        synonyms: &synonyms(site),
        offset: if asked.is_instant { 0 } else { (asked.page - 1) * PAGE_LIMIT },
        limit,
    };
    let spaces = searched(site, space, &scope);
    let found = search::search(request.app, request.answers, &spaces, wanted);
    let Some(found) = available(found)? else {
        return Ok(FoundView { is_unavailable: true, ..FoundView::default() });
    };
    let Found { total, pages, corrections, is_partial, is_complete } = found;
    let end = wanted.offset + pages.len();
    let has_more = end < total && end > wanted.offset && end < MAX_RANK;
    let keys: Vec<_> = pages.iter().map(|hit| (hit.space, hit.page)).collect();
    let addresses = addresses(request, &keys)?;
    let pages = pages.into_iter().filter_map(|hit| {
        let href = addresses.get(&(hit.space, hit.page))?.clone();
        let origin = site.spaces.iter().find(|one| one.space.id == hit.space)?;
        let id = format!("{}/{}", hit.space, hit.page);
        let found = found_page(hit, href, origins(site, space, origin), messages);
        let is_pinged = !asked.is_instant && !site.is_preview;
        let ping = is_pinged.then(|| insights::ping(action, asked.text.trim_end(), &id));
        Some(FoundPage { id, ping, ..found })
    });
    let pages: Vec<_> = pages.collect();
    // The index may be older than the content. Pages that are absent or hidden by now do not count.
    let total = total.saturating_sub(keys.len() - pages.len());
    let page = |number| asked.address(action, &asked.within, number);
    Ok(FoundView {
        total,
        is_more: !is_complete,
        pages,
        corrections: corrections.into_iter().map(|correction| correction.used).collect(),
        is_partial,
        is_unavailable: false,
        previous: (!asked.is_instant && asked.page > 1).then(|| page(asked.page - 1)),
        next: (!asked.is_instant && has_more).then(|| page(asked.page + 1)),
        wider: (total == 0 && is_limited).then(|| asked.address(action, EVERYTHING, 1)),
        all: (asked.is_instant && total > limit).then(|| page(1)),
    })
}

/// Returns the addresses of pages. Pages that are absent or hidden by now have none.
pub(super) fn addresses(
    request: &SiteRequest<'_>,
    found: &[(SpaceId, PageId)],
) -> Result<HashMap<(SpaceId, PageId), String>> {
    let mut addresses = HashMap::with_capacity(found.len());
    let objects = request.tx.objects();
    for space in &request.site.spaces {
        let id = space.space.id;
        let mut pages =
            found.iter().filter(|(space, _)| *space == id).map(|(_, page)| *page).peekable();
        if pages.peek().is_none() || addresses.keys().any(|(known, _)| *known == id) {
            continue;
        }
        let objects = ReadTracker::without_record(&objects, id);
        let context = PageContext::new(request, space, &objects)?;
        for page in pages {
            if let Some(href) = context.tree.href_of_listed(page) {
                addresses.insert((id, page), href);
            }
        }
    }
    Ok(addresses)
}

fn found_page(
    hit: PageHit,
    href: String,
    mut ancestors: Vec<String>,
    messages: &Messages,
) -> FoundPage {
    let PageHit { title, title_highlights, ancestors: above, description, sections, .. } = hit;
    // The text before the first heading is shown as that of the page.
    let (own, sections): (Vec<_>, Vec<_>) =
        sections.into_iter().partition(|section| section.anchor.is_none());
    let text = match own.into_iter().next() {
        Some(SectionHit { snippet, highlights, .. }) => Marked { text: snippet, marks: highlights },
        None if sections.is_empty() => Marked { text: description, marks: Vec::new() },
        None => Marked::default(),
    };
    ancestors.extend(above);
    let title = Marked { text: title_of(title, messages), marks: title_highlights };
    let section = |section: SectionHit| {
        let SectionHit { anchor, heading, heading_highlights, snippet, highlights } = section;
        let anchor = anchor.as_deref().map(urls::encode).unwrap_or_default();
        FoundSection {
            heading: Marked { text: heading, marks: heading_highlights },
            href: format!("{href}#{anchor}"),
            snippet: Marked { text: snippet, marks: highlights },
        }
    };
    let sections = sections.into_iter().take(MAX_SECTIONS).map(section).collect();
    FoundPage { title, href, ancestors, text, sections, ..FoundPage::default() }
}

/// Returns a title as readers see it.
pub(super) fn title_of(title: String, messages: &Messages) -> String {
    if title.is_empty() { messages.untitled.to_owned() } else { title }
}

/// Returns the section and the variant of a space, as far as they tell it from that of the reader.
fn origins(site: &LoadedSite, here: &LoadedSpace, space: &LoadedSpace) -> Vec<String> {
    let mut origins = Vec::new();
    let own = space.site_space.section;
    if let Some(section) = own.and_then(|own| site.structure.section(own))
        && site.structure.sections.len() > 1
    {
        origins.push(section.title.clone());
    }
    let is_only = site.structure.variants(own).nth(1).is_none();
    let is_expected = space.site_space.id == here.site_space.id
        || own != here.site_space.section && space.site_space.is_default;
    if !is_only && !is_expected {
        origins.push(space.site_space.title.clone());
    }
    origins
}

/// Returns the site spaces with their languages.
fn languages(site: &LoadedSite) -> Vec<(&bindery_app::publishing::sites::SiteSpace, Option<&str>)> {
    site.spaces.iter().map(|one| (&one.site_space, one.language())).collect()
}

/// Returns the spaces to search. A space that is several times on a site is searched once.
fn searched(site: &LoadedSite, here: &LoadedSpace, scope: &SearchScope) -> Vec<SearchedSpace> {
    let weighted = scope.weighted(&languages(site), Some(here.site_space.id));
    let mut searched: Vec<SearchedSpace> = Vec::with_capacity(weighted.len());
    for (id, weight) in weighted {
        let Some(space) = site.spaces.iter().find(|one| one.site_space.id == id) else { continue };
        let id = space.space.id;
        if searched.iter().all(|known| known.id != id) {
            searched.push(SearchedSpace { id, sight: Sight::AsVisitor, weight });
        }
    }
    searched
}

/// Returns the spaces of a site, those that readers see by default first in rank.
pub(super) fn every_space(site: &LoadedSite) -> Vec<SearchedSpace> {
    let Some((here, _)) = site.resolve("") else { return Vec::new() };
    searched(site, here, &SearchScope::All)
}

/// Returns the words that find each other on the site.
pub(super) fn synonyms(site: &LoadedSite) -> Vec<Vec<String>> {
    let first = site.spaces.first();
    first.map(|space| customization::synonyms(&space.customization)).unwrap_or_default()
}

/// Returns the part of the site that a filter names. An unknown filter limits nothing.
fn scope(site: &LoadedSite, here: &LoadedSpace, within: &str) -> SearchScope {
    let default = SearchScope::Default(Some(here.site_space.id));
    if within == EVERYTHING {
        return SearchScope::All;
    }
    let known = |id: &SiteSpaceId| site.structure.site_space(*id).is_some();
    if let Some(id) = SiteSpaceId::parse(within).filter(known) {
        return SearchScope::Specific([id].into());
    }
    let known = |id: &SiteSectionId| site.structure.section(*id).is_some();
    match SiteSectionId::parse(within).filter(known) {
        Some(section) => {
            let in_section = |id: &SiteSpaceId| {
                site.structure.site_space(*id).is_some_and(|one| one.section == Some(section))
            };
            SearchScope::Specific(
                default.covered(&languages(site)).into_iter().filter(in_section).collect(),
            )
        }
        None => default,
    }
}

/// Returns the filters: the sections of the site, and the variants of the reader's section.
fn filters(
    site: &LoadedSite,
    here: &LoadedSpace,
    within: &str,
    messages: &Messages,
) -> Vec<FilterGroup> {
    let SiteStructure { sections, .. } = &site.structure;
    let variants: Vec<_> = site.structure.variants(here.site_space.section).collect();
    if site.spaces.len() < 2 {
        return Vec::new();
    }
    let filter = |value: String, title: &str| {
        let is_selected = value == within;
        Filter { value, title: title.to_owned(), is_selected }
    };
    let group =
        |title: &str, filters: Vec<Filter>| FilterGroup { title: title.to_owned(), filters };
    let has_sections = sections.len() > 1;
    let usual = match has_sections {
        true => messages.all_sections,
        false => here.site_space.title.as_str(),
    };
    let mut groups = vec![group("", vec![filter(String::new(), usual)])];
    if has_sections {
        let named = sections.iter().map(|one| filter(one.id.to_string(), &one.title));
        groups.push(group(messages.sections, named.collect()));
    }
    let others = variants.iter().filter(|one| one.id != here.site_space.id);
    let others: Vec<_> = others.map(|one| filter(one.id.to_string(), &one.title)).collect();
    if !others.is_empty() {
        groups.push(group(messages.versions, others));
    }
    if site.spaces.len() > sections.len().max(1) {
        groups.push(group("", vec![filter(EVERYTHING.to_owned(), messages.search_everywhere)]));
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_a_space() {
        for (below, expect) in [
            ("~search", Some("")),
            ("docs/v2/~search", Some("docs/v2")),
            ("docs~search", None),
            ("~search/", None),
            ("docs", None),
        ] {
            assert_eq!(space_path(below), expect, "{below}");
        }
    }

    #[test]
    fn queries_have_limits() {
        let asked = Asked::parse("q=+a%20b+&in=all&page=99999&part=results");
        let expect = Asked {
            text: "a b ".into(),
            within: EVERYTHING.into(),
            page: MAX_RANK / PAGE_LIMIT,
            is_instant: true,
        };
        assert_eq!(asked, expect);
        assert_eq!(asked.address("/s/~search", "", 2), "/s/~search?q=a%20b&page=2");
        for query in ["", "page=0", "page=-1", "q=%ff", "page=x&in="] {
            assert_eq!(Asked::parse(query), Asked { page: 1, ..Asked::default() }, "{query}");
        }
        let long = Asked::parse(&format!("q={}", "ä".repeat(1000)));
        assert_eq!(long.text.chars().count(), MAX_QUERY_CHARS);
    }
}
