//! Atom feeds of the changelogs on a page.

use bindery_content::html::Update;
use bindery_model::{Result, Timestamp};
use bindery_revision::{PageKind, PageRecord};

use super::page::{self, PageContext, title};
use super::validity::ReadTracker;
use super::{RenderedResponse, SiteRequest, changes, document};
use crate::feeds::atom::{Entry, Feed, MAX_ENTRIES};
use crate::i18n::messages;
use crate::urls;
use crate::view::Link;

/// Maximum number of changelogs of a page that have a feed.
const MAX_LISTS: usize = 50;

/// Returns links to the feeds of the changelogs of a page.
pub(super) fn links(
    context: &PageContext<'_>,
    record: &PageRecord,
    lists: usize,
) -> Result<Vec<Link>> {
    if context.site.is_preview {
        return Ok(Vec::new());
    }
    let path = context.tree.path(record.id)?;
    let name = title(record, messages(changes::language(context.space)));
    let links = (0..lists.min(MAX_LISTS)).map(|list| Link {
        title: list_title(&name, list),
        href: urls::updates_href(&context.tree.base, &path, list),
    });
    Ok(links.collect())
}

/// Returns the title of a changelog: that of its page, with a number from the second one on.
fn list_title(page: &str, list: usize) -> String {
    if list == 0 { page.to_owned() } else { format!("{page} ({})", list + 1) }
}

/// Responds with the feed of a changelog. `path` is that of the page, and from the second changelog
/// on ends in a dot and a number.
pub(super) fn respond(request: &SiteRequest<'_>, path: &str) -> Result<RenderedResponse> {
    let named = format!("{path}.atom");
    let Some((space, rest)) = request.site.resolve(path) else {
        return page::not_found(request, &named);
    };
    let objects = request.tx.objects();
    let objects = ReadTracker::new(&objects, space.space.id);
    let context = PageContext::new(request, space, &objects)?;
    // A page whose own slug ends in `.atom` has no other address.
    if context.find(&format!("{rest}.atom"))?.is_some() {
        return page::render_html(request, &named);
    }
    let find = |path: &str| context.find(if path == "index" { "" } else { path });
    let numbered = || {
        let (path, number) = rest.rsplit_once('.')?;
        let is_canonical = !number.starts_with(['0', '+']);
        let list = number.parse::<usize>().ok().filter(|_| is_canonical)?.checked_sub(1)?;
        (1..MAX_LISTS).contains(&list).then_some((path, list))
    };
    let found = match find(rest)? {
        Some(id) => Some((id, 0)),
        None => match numbered() {
            Some((path, list)) => find(path)?.map(|id| (id, list)),
            None => None,
        },
    };
    let Some((id, list)) = found else { return page::not_found(request, &named) };
    let record = context.record(id)?;
    if !matches!(record.kind, PageKind::Document | PageKind::Computed) {
        return page::not_found(request, &named);
    }
    let Some(html) = document::render_for_feed(&context, &record)? else {
        return page::not_found(request, &named);
    };
    let updates: Vec<&Update> = html.updates.iter().filter(|one| one.list == list).collect();
    if updates.is_empty() {
        return page::not_found(request, &named);
    }
    let feed = feed(&context, &record, list, &updates, &html.body)?;
    Ok(context.response(changes::prepare(&feed, feed.updated().max(record.updated_at))))
}

fn feed(
    context: &PageContext<'_>,
    record: &PageRecord,
    list: usize,
    updates: &[&Update],
    body: &str,
) -> Result<Feed> {
    let origin = context.site.origin(&context.app.urls);
    let page = format!("{origin}{}", context.tree.href(record.id)?);
    let messages = messages(changes::language(context.space));
    let name = title(record, messages);
    let ids = [context.site.site.id.to_string(), record.id.to_string()];
    let mut entries: Vec<Entry> = updates
        .iter()
        .map(|update| {
            let Update { list: _, anchor, title, date, tags, body: range } = update;
            let at = date.as_ref().and_then(|day| Timestamp::parse(&format!("{day}T00:00:00Z")));
            let day = at.map(|at| messages.date(at));
            Entry {
                id: ["update".to_owned()]
                    .into_iter()
                    .chain(ids.clone())
                    .chain([anchor.clone()])
                    .collect(),
                title: title.clone().or(day).unwrap_or_else(|| name.clone()),
                href: format!("{page}#{anchor}"),
                updated: at.unwrap_or(record.updated_at),
                published: at,
                summary: None,
                content: body.get(range.clone()).map(|html| html.trim().to_owned()),
                categories: tags.clone(),
            }
        })
        .collect();
    // Entries of one day stay in the order of the page.
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.updated));
    entries.truncate(MAX_ENTRIES);
    let path = context.tree.path(record.id)?;
    Ok(Feed {
        id: ["updates".to_owned(), list.to_string()].into_iter().chain(ids).collect(),
        title: list_title(&format!("{name} – {}", changes::site_title(context.site)), list),
        href: page,
        self_href: format!("{origin}{}", urls::updates_href(&context.tree.base, &path, list)),
        author: changes::site_title(context.site).to_owned(),
        language: changes::language(context.space).to_owned(),
        created: record.updated_at,
        entries,
    })
}
