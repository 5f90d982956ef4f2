//! Atom feeds of the pages of a site or a space that changed last.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bindery_model::{PageId, Result, Timestamp};
use bindery_revision::PageRecord;
use http::header::LINK;
use serde_json::Value;

use super::document;
use super::lists::{ListedPage, all_spaces, for_each_page};
use super::page::{PageContext, title};
use super::site_cache::{LoadedSite, LoadedSpace};
use super::validity::ReadTracker;
use super::{RenderedResponse, SiteRequest};
use crate::feeds::atom::{Entry, Feed, MAX_ENTRIES};
use crate::http::{CacheControl, PreparedResponse};
use crate::i18n::messages;
use crate::urls::{self, FEED};
use crate::view::Link;

/// The content type of feeds.
pub(super) const ATOM: &str = "application/atom+xml; charset=utf-8";

/// Responds with the feed of the whole site.
pub(super) fn of_site(request: &SiteRequest<'_>) -> Result<RenderedResponse> {
    let site = request.site;
    let id = vec!["site".to_owned(), site.site.id.to_string()];
    let pages = newest(request, all_spaces(request))?;
    let feed = feed(request, id, &site.base(), site_title(site), &pages)?;
    Ok(respond(request, &feed, &site.spaces))
}

/// Responds with the feed of the space at this path of the site.
pub(super) fn of_space(request: &SiteRequest<'_>, path: &str) -> Result<RenderedResponse> {
    let site = request.site;
    let Some((space, _)) = site.resolve(path) else {
        return super::page::not_found(request, &format!("{path}/{FEED}"));
    };
    let position = site.spaces.iter().position(|one| std::ptr::eq(one, space));
    let pages = newest(request, std::iter::once((position.unwrap_or_default(), space)))?;
    let ids = [site.site.id.to_string(), space.site_space.id.to_string()];
    let id = ["space".to_owned()].into_iter().chain(ids).collect();
    let title = space_title(site, space);
    let feed = feed(request, id, &site.space_base(space), &title, &pages)?;
    Ok(respond(request, &feed, std::slice::from_ref(space)))
}

/// Returns links to the feeds that a page of a space belongs to.
pub(super) fn links(context: &PageContext<'_>) -> Vec<Link> {
    let site = context.site;
    if site.is_preview {
        return Vec::new();
    }
    let link = |title: String, base: &str| Link { title, href: format!("{base}{FEED}") };
    let mut links = vec![link(site_title(site).to_owned(), &site.base())];
    let base = site.space_base(context.space);
    if base != site.base() {
        links.push(link(space_title(site, context.space), &base));
    }
    links
}

/// Returns the title of the site that its pages show.
pub(super) fn site_title(site: &LoadedSite) -> &str {
    let custom = site.spaces.first().and_then(|space| space.customization.get("title"));
    custom.and_then(Value::as_str).filter(|title| !title.is_empty()).unwrap_or(&site.site.title)
}

fn space_title(site: &LoadedSite, space: &LoadedSpace) -> String {
    format!("{} – {}", site_title(site), name_of(space))
}

/// Returns the title of a space on its site.
fn name_of(space: &LoadedSpace) -> &str {
    match space.site_space.title.as_str() {
        "" => &space.space.title,
        title => title,
    }
}

/// Returns the language of the texts of a space.
pub(super) fn language(space: &LoadedSpace) -> &str {
    let own = space.space.language.as_deref();
    own.or_else(|| super::looks::locale(&space.customization)).unwrap_or("en")
}

/// The order of entries: by time, and in reading order among pages that changed at once.
type Rank = (Timestamp, Reverse<usize>);

/// A page of a feed: the position of its space on the site, and its id.
type FeedPage = (usize, PageId);

/// Returns the pages of some spaces that changed last, newest first.
fn newest<'a>(
    request: &SiteRequest<'a>,
    spaces: impl Iterator<Item = (usize, &'a LoadedSpace)>,
) -> Result<Vec<FeedPage>> {
    let mut newest: BinaryHeap<Reverse<(Rank, FeedPage)>> = BinaryHeap::new();
    let mut number = 0;
    for_each_page(request, spaces, 0..usize::MAX, &mut |page: ListedPage<'_>| {
        number += 1;
        let rank = (page.record.updated_at, Reverse(number));
        newest.push(Reverse((rank, (page.space, page.record.id))));
        if newest.len() > MAX_ENTRIES {
            newest.pop();
        }
        Ok(true)
    })?;
    Ok(newest.into_sorted_vec().into_iter().map(|Reverse((_, page))| page).collect())
}

/// Returns the feed of pages. `base` is the path of the site or the space that the feed belongs to.
fn feed(
    request: &SiteRequest<'_>,
    id: Vec<String>,
    base: &str,
    title: &str,
    pages: &[FeedPage],
) -> Result<Feed> {
    let site = request.site;
    let origin = site.origin(&request.app.urls);
    let first = pages.first().and_then(|(space, _)| site.spaces.get(*space));
    Ok(Feed {
        id,
        title: title.to_owned(),
        href: format!("{origin}{base}"),
        self_href: format!("{origin}{base}{FEED}"),
        author: site_title(site).to_owned(),
        language: first.map_or("en", language).to_owned(),
        created: site.site.created_at,
        entries: entries(request, pages)?,
    })
}

/// Returns the entries of pages, in their order.
fn entries(request: &SiteRequest<'_>, pages: &[FeedPage]) -> Result<Vec<Entry>> {
    let objects = request.tx.objects();
    let mut entries: Vec<(usize, Entry)> = Vec::with_capacity(pages.len());
    for (position, space) in request.site.spaces.iter().enumerate() {
        let of_space = |(_, (space, _)): &(usize, &FeedPage)| *space == position;
        let mut pages = pages.iter().enumerate().filter(of_space).peekable();
        if pages.peek().is_none() {
            continue;
        }
        let objects = ReadTracker::without_record(&objects, space.space.id);
        let context = PageContext::new(request, space, &objects)?;
        for (rank, (_, id)) in pages {
            entries.push((rank, entry(&context, &context.record(*id)?)?));
        }
    }
    entries.sort_by_key(|(rank, _)| *rank);
    Ok(entries.into_iter().map(|(_, entry)| entry).collect())
}

/// Returns the entry of the last change of a page. Each change has an id of its own, so that feed
/// readers show it as new.
fn entry(context: &PageContext<'_>, record: &PageRecord) -> Result<Entry> {
    let origin = context.site.origin(&context.app.urls);
    let summary = match &record.description {
        Some(description) => Some(description.clone()),
        None => document::summary(context, record)?,
    };
    let space = name_of(context.space);
    Ok(Entry {
        id: vec![
            "page".to_owned(),
            context.site.site.id.to_string(),
            record.id.to_string(),
            record.updated_at.millis().to_string(),
        ],
        title: title(record, messages(language(context.space))),
        href: format!("{origin}{}", context.tree.href(record.id)?),
        updated: record.updated_at,
        published: (record.created_at <= record.updated_at).then_some(record.created_at),
        summary,
        content: None,
        categories: vec![(space.to_owned(), space.to_owned())],
    })
}

fn respond(request: &SiteRequest<'_>, feed: &Feed, spaces: &[LoadedSpace]) -> RenderedResponse {
    // Without an entry of its own, a removed page changes the feed, too.
    let revisions = spaces.iter().map(|space| space.snapshot.revision.created_at);
    let modified = revisions.chain([feed.updated()]).max().unwrap_or(request.site.site.created_at);
    prepare(feed, modified).into()
}

/// Returns the response with a feed.
pub(super) fn prepare(feed: &Feed, modified: Timestamp) -> PreparedResponse {
    let link = format!("<{}>; rel=\"self\"; type=\"application/atom+xml\"", feed.self_href);
    PreparedResponse::new(200, ATOM, CacheControl::Revalidate, feed.render())
        .with_header(LINK, &link)
        .modified_at(modified)
}

/// Returns the path of the space in the address of its feed.
pub(super) fn space_path(path: &str) -> Option<&str> {
    path.strip_suffix(urls::FEED)?.strip_suffix('/')
}
