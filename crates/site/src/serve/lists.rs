//! Lists of the pages of a site, for programs: the sitemap, robots.txt and llms-full.txt.
//!
//! A list is written while the pages are read, so that a large site needs no more memory than its
//! list.

use bindery_app::content::snapshot::broken_tree;
use bindery_model::Result;
use bindery_revision::{NavigationKind, PageRecord};

use super::navigation::is_page;
use super::page::{self, PageContext};
use super::site_cache::LoadedSpace;
use super::validity::ReadTracker;
use super::{RenderedResponse, SiteRequest, changes, document, llms};
use crate::feeds::{self, FeedEntry, LlmsFullTxt, MAX_SITEMAP_URLS, Sitemap};
use crate::http::{CacheControl, PreparedResponse};
use crate::urls;

/// Responds with `robots.txt`.
pub(super) fn robots(request: &SiteRequest<'_>) -> RenderedResponse {
    text(feeds::robots(&root(request), request.site.is_indexed()))
}

/// Responds with the sitemap, or with a part of a large one.
pub(super) fn sitemap(
    request: &SiteRequest<'_>,
    part: Option<usize>,
    path: &str,
) -> Result<RenderedResponse> {
    // Part numbers that the sitemap cannot have are rejected without reading the pages.
    let most = usize::try_from(request.site.max_listed_pages()).unwrap_or(usize::MAX);
    let parts = feeds::sitemap_parts(most);
    if part.is_some_and(|part| parts < 2 || part == 0 || part > parts) {
        let body = "not found\n";
        let kind = "text/plain; charset=utf-8";
        return Ok(PreparedResponse::new(404, kind, CacheControl::Revalidate, body).into());
    }
    if !request.site.is_indexed() {
        return page::not_found(request, path);
    }
    let parts = if parts < 2 { parts } else { feeds::sitemap_parts(count(request)?) };
    let number = match part {
        None if parts > 1 => return Ok(xml(feeds::sitemap_index(&root(request), parts))),
        None => 0,
        Some(part) if parts < 2 || part > parts => return page::not_found(request, path),
        Some(part) => part - 1,
    };
    let first = number * MAX_SITEMAP_URLS;
    let mut sitemap = Sitemap::default();
    let range = first..first + MAX_SITEMAP_URLS;
    let mut push = |page: ListedPage<'_>| Ok(sitemap.push(&page.entry()));
    for_each_page(request, all_spaces(request), range, &mut push)?;
    Ok(xml(sitemap.finish()))
}

/// Responds with `llms-full.txt`: all pages as Markdown, in reading order.
pub(super) fn llms_full(request: &SiteRequest<'_>) -> Result<RenderedResponse> {
    let mut text = LlmsFullTxt::new(changes::site_title(request.site));
    let mut push = |page: ListedPage<'_>| {
        let Some(markdown) = page::markdown(page.context, &page.record)? else {
            text.cut();
            return Ok(false);
        };
        Ok(text.push(&page.entry().href, &markdown))
    };
    for_each_page(request, all_spaces(request), 0..usize::MAX, &mut push)?;
    Ok(self::text(text.finish(&llms::address(request))))
}

/// Returns the absolute address of the site with a trailing `/`.
pub(super) fn root(request: &SiteRequest<'_>) -> String {
    format!("{}{}", request.site.origin(&request.app.urls), request.site.base())
}

fn xml(body: String) -> RenderedResponse {
    let kind = "application/xml; charset=utf-8";
    PreparedResponse::new(200, kind, CacheControl::Revalidate, body).into()
}

pub(super) fn text(body: String) -> RenderedResponse {
    let kind = "text/plain; charset=utf-8";
    PreparedResponse::new(200, kind, CacheControl::Revalidate, body).into()
}

/// Returns the number of pages in the navigation of the site.
fn count(request: &SiteRequest<'_>) -> Result<usize> {
    let objects = request.tx.objects();
    let mut count = 0;
    for space in &request.site.spaces {
        let objects = ReadTracker::without_record(&objects, space.space.id);
        let context = PageContext::new(request, space, &objects)?;
        for child in context.tree.entries() {
            if !request.budget.read_list_entry() {
                return Ok(count);
            }
            count += usize::from(is_page(&child?));
        }
    }
    Ok(count)
}

/// A page of the site that may be listed.
pub(super) struct ListedPage<'a> {
    pub(super) context: &'a PageContext<'a>,
    /// The position of the space among those of the site.
    pub(super) space: usize,
    pub(super) record: PageRecord,
    /// The path below the base of the space.
    pub(super) path: String,
    /// The title of the top-level group that contains the page.
    section: Option<&'a str>,
}

impl ListedPage<'_> {
    /// Returns the description of the page, or the first sentences of its text.
    pub(super) fn description(&self) -> Result<Option<String>> {
        match &self.record.description {
            Some(description) => Ok(Some(description.clone())),
            None => document::summary(self.context, &self.record),
        }
    }

    /// Returns the page as the sitemap and llms.txt list it.
    pub(super) fn entry(self) -> FeedEntry {
        let Self { context, space: _, record, path, section } = self;
        let origin = context.site.origin(&context.app.urls);
        let base = &context.tree.base;
        FeedEntry {
            href: format!("{origin}{}", urls::href(base, &path)),
            markdown_href: Some(format!("{origin}{}", urls::markdown_href(base, &path))),
            title: record.title,
            description: record.description,
            section: section.map(str::to_owned),
            updated: Some(record.updated_at),
        }
    }
}

/// Calls `visit` with the pages of some spaces of the site in reading order, until it returns
/// `false`. Leaves out those that must not be listed, and those whose number in the navigation is
/// not within `range`.
///
/// Ends early if no request waits for the response any more, or if a small rendering reaches its
/// limit on a large site.
pub(super) fn for_each_page<'a>(
    request: &SiteRequest<'a>,
    spaces: impl Iterator<Item = (usize, &'a LoadedSpace)>,
    range: std::ops::Range<usize>,
    visit: &mut dyn FnMut(ListedPage<'_>) -> Result<bool>,
) -> Result<()> {
    let objects = request.tx.objects();
    let mut number = 0;
    for (position, space) in spaces {
        let objects = ReadTracker::without_record(&objects, space.space.id);
        let context = PageContext::new(request, space, &objects)?;
        let tree = &context.tree;
        let mut section = None;
        for child in tree.entries() {
            let child = child?;
            if child.parent.is_none() {
                let group = child.entry.kind == NavigationKind::Group;
                section = group.then(|| child.entry.title.clone());
            }
            if !is_page(&child) {
                continue;
            }
            if number >= range.end || !request.budget.read_list_entry() {
                return Ok(());
            }
            number += 1;
            if number <= range.start {
                continue;
            }
            let record = tree.tree.page(child.id).map_err(broken_tree)?;
            if !record.is_for_crawlers() {
                continue;
            }
            let path = tree.path_of_child(&child)?;
            let section = section.as_deref();
            let page = ListedPage { context: &context, space: position, record, path, section };
            if !visit(page)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Returns all spaces of the site with their positions.
pub(super) fn all_spaces<'a>(
    request: &SiteRequest<'a>,
) -> impl Iterator<Item = (usize, &'a LoadedSpace)> + use<'a> {
    request.site.spaces.iter().enumerate()
}
