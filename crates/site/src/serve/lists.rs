//! Lists of the pages of a site, for crawlers: the sitemap, robots.txt and llms.txt.
//!
//! A list is written while the pages are read, so that a large site needs no more memory than its
//! list.

use bindery_app::content::snapshot::broken_tree;
use bindery_model::Result;
use bindery_revision::NavigationKind;

use super::navigation::is_page;
use super::page::{self, PageContext};
use super::validity::ReadTracker;
use super::{RenderedResponse, SiteRequest};
use crate::feeds::{self, FeedEntry, LlmsTxt, MAX_SITEMAP_URLS, Sitemap};
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
    for_each_page(request, first..first + MAX_SITEMAP_URLS, &mut |entry| sitemap.push(&entry))?;
    Ok(xml(sitemap.finish()))
}

/// Responds with `llms.txt`.
pub(super) fn llms(request: &SiteRequest<'_>) -> Result<RenderedResponse> {
    let mut llms = LlmsTxt::new(&request.site.site.title, None);
    for_each_page(request, 0..usize::MAX, &mut |entry| llms.push(&entry))?;
    Ok(text(llms.finish()))
}

/// Returns the absolute address of the site with a trailing `/`.
fn root(request: &SiteRequest<'_>) -> String {
    format!("{}{}", request.site.origin(&request.app.urls), request.site.base())
}

fn xml(body: String) -> RenderedResponse {
    let kind = "application/xml; charset=utf-8";
    PreparedResponse::new(200, kind, CacheControl::Revalidate, body).into()
}

fn text(body: String) -> RenderedResponse {
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

/// Calls `visit` with the pages of the site in reading order, until it returns `false`. Leaves out
/// those that must not be listed, and those whose number in the navigation is not within `range`.
///
/// Ends early if no request waits for the response any more, or if a small rendering reaches its
/// limit on a large site.
fn for_each_page(
    request: &SiteRequest<'_>,
    range: std::ops::Range<usize>,
    visit: &mut dyn FnMut(FeedEntry) -> bool,
) -> Result<()> {
    let objects = request.tx.objects();
    let origin = request.site.origin(&request.app.urls);
    let mut number = 0;
    for space in &request.site.spaces {
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
            if record.no_index || record.no_robots_index {
                continue;
            }
            let path = tree.path_of_child(&child)?;
            let absolute = |path: String| format!("{origin}{path}");
            let more = visit(FeedEntry {
                href: absolute(urls::href(&tree.base, &path)),
                markdown_href: Some(absolute(urls::markdown_href(&tree.base, &path))),
                title: record.title,
                description: record.description,
                section: section.clone(),
                updated: Some(record.updated_at),
            });
            if !more {
                return Ok(());
            }
        }
    }
    Ok(())
}
