//! One page of a site: found by its path, rendered with what surrounds it.

use bindery_app::content::{broken_object, broken_tree};
use bindery_app::{App, documents};
use bindery_model::{PageId, Result};
use bindery_revision::tree::{Child, Tree};
use bindery_revision::{ContentRef, Cover, NavigationKind, PageKind, PageRecord, Redirect};
use bindery_store::{Tx, TxObjects};
use http::header::{HeaderName, LINK};

use super::document::{Rendered, render_document};
use super::loaded::{LoadedSite, Place};
use super::navigation::SpaceTree;
use crate::feeds::FeedEntry;
use crate::http::{CacheControl, Prepared};
use crate::urls::{self, Candidate};
use crate::view::navigation::{Limits, navigation};
use crate::view::{
    Direction, Layout, Link, Nearest, PageView, SiteView, ThemedImage, render_empty_space,
    render_not_found, render_page,
};

/// Pages that a 404 names.
const NEAREST: usize = 5;
/// Pages that a 404 looks at.
const LOOKED_AT: usize = 3_000;

/// What rendering a page of one space needs.
pub(super) struct Shelf<'a> {
    pub(super) app: &'a App,
    pub(super) site: &'a LoadedSite,
    pub(super) place: &'a Place,
    pub(super) objects: &'a TxObjects<'a>,
    pub(super) tree: SpaceTree<'a>,
}

impl<'a> Shelf<'a> {
    fn open(
        app: &'a App,
        site: &'a LoadedSite,
        place: &'a Place,
        objects: &'a TxObjects<'a>,
    ) -> Result<Self> {
        let tree = Tree::new(&place.snapshot.revision.content, objects);
        let tree = SpaceTree::new(tree, site.base_of(place))?;
        Ok(Self { app, site, place, objects, tree })
    }

    fn view(&self) -> SiteView {
        let language = self.place.space.language.clone().unwrap_or_else(|| "en".to_owned());
        SiteView {
            direction: Direction::of_language(&language),
            language,
            noindex: !self.site.is_indexed(),
            sections: Vec::new(),
            variants: self.variants(),
            ..SiteView::new(self.site.site.title.clone(), self.app.urls.sites(), self.site.base())
        }
    }

    fn variants(&self) -> Vec<crate::view::Choice> {
        if self.site.places.len() < 2 {
            return Vec::new();
        }
        let choice = |place: &Place| crate::view::Choice {
            title: place.place.title.clone(),
            href: self.site.base_of(place),
            current: place.place.id == self.place.place.id,
            ..crate::view::Choice::default()
        };
        self.site.places.iter().map(choice).collect()
    }

    /// The page that a path leads to.
    fn find(&self, path: &str) -> Result<Option<PageId>> {
        if path.is_empty() {
            return Ok(self.tree.first);
        }
        self.tree.tree.by_path(path).map_err(broken_object)
    }

    /// Where an older path leads now.
    fn moved(&self, path: &str) -> Result<Option<String>> {
        let content = &self.place.snapshot.revision.content;
        if let Some(redirect) = content.redirect(self.objects, path).map_err(broken_object)? {
            return match redirect {
                Redirect::Page(page) => Ok(self.tree.href(page).ok()),
                Redirect::Path(path) => {
                    Ok(Some(urls::href(&self.tree.base, path.trim_matches('/'))))
                }
            };
        }
        // Where the file's path and the tree disagree, the file's path leads to the page.
        for spelling in [format!("{path}.md"), format!("{path}/README.md"), path.to_owned()] {
            let entry = content.at_path(self.objects, &spelling).map_err(broken_object)?;
            if let Some(bindery_revision::PathEntry::Page(page)) = entry
                && let Ok(href) = self.tree.href(page)
            {
                return Ok(Some(href));
            }
        }
        Ok(None)
    }
}

/// The page at a path as HTML.
pub(super) fn html(app: &App, tx: &Tx<'_>, site: &LoadedSite, path: &str) -> Result<Prepared> {
    let objects = tx.objects();
    let Some((place, rest)) = site.resolve(path) else {
        let view = SiteView::new(site.site.title.clone(), app.urls.sites(), site.base());
        return Ok(Prepared::page(render_empty_space(&view), CacheControl::Revalidate));
    };
    let shelf = Shelf::open(app, site, place, &objects)?;
    if rest.is_empty() && shelf.tree.first.is_none() {
        return Ok(Prepared::page(render_empty_space(&shelf.view()), CacheControl::Revalidate));
    }
    let Some(id) = shelf.find(rest)? else {
        return match shelf.moved(rest)? {
            Some(href) => Ok(Prepared::redirect(&href)),
            None => missing(&shelf, rest),
        };
    };
    let record = shelf.tree.tree.page(id).map_err(broken_tree)?;
    if record.condition.is_some() {
        return missing(&shelf, rest);
    }
    let elsewhere = match &record.kind {
        PageKind::Link { target } => shelf.tree.target(target)?,
        PageKind::Group => shelf.tree.first_below(id)?,
        PageKind::Document | PageKind::Computed => {
            // The first page has one address, the root.
            (!rest.is_empty() && shelf.tree.first == Some(id)).then(|| shelf.tree.base.clone())
        }
    };
    match (elsewhere, &record.kind) {
        (Some(href), _) => Ok(Prepared::redirect(&href)),
        (None, PageKind::Link { .. } | PageKind::Group) => missing(&shelf, rest),
        (None, _) => page(&shelf, &record),
    }
}

fn page(shelf: &Shelf<'_>, record: &PageRecord) -> Result<Prepared> {
    let tree = &shelf.tree;
    let ancestors = tree.tree.ancestors(record.id).map_err(broken_tree)?;
    let steps = tree.steps(&ancestors, record)?;
    let Rendered { body, outline, summary } = render_document(shelf, record)?;
    let link = |child: Option<Child>| -> Result<Option<Link>> {
        child
            .map(|child| Ok(Link { title: child.entry.title.clone(), href: tree.href(child.id)? }))
            .transpose()
    };
    let breadcrumbs = ancestors
        .iter()
        .map(|page| {
            let href = match page.kind {
                PageKind::Group | PageKind::Link { .. } => String::new(),
                _ => tree.href(page.id)?,
            };
            Ok(Link { title: page.title.clone(), href })
        })
        .collect::<Result<_>>()?;
    let path = tree.path(record.id)?;
    let view = shelf.view();
    let page = PageView {
        title: title(record),
        window_title: None,
        description: record.description.clone().or(summary),
        emoji: record.emoji.as_deref().and_then(emoji),
        icon: record.icon.clone(),
        cover: record.cover.as_ref().and_then(|cover| self::cover(shelf, cover)),
        layout: layout(record),
        href: tree.href(record.id)?,
        canonical: None,
        markdown_href: Some(urls::markdown_href(&tree.base, &path)),
        edit_href: None,
        navigation: navigation(tree, &steps, &Limits::default())?,
        breadcrumbs,
        outline,
        body,
        previous: link(tree.tree.previous(record.id).map_err(broken_tree)?)?,
        next: link(tree.tree.next(record.id).map_err(broken_tree)?)?,
        updated: Some(record.updated_at),
        author: None,
        noindex: record.no_index || record.no_robots_index || record.hidden,
    };
    let markdown = format!(
        "<{}>; rel=\"alternate\"; type=\"text/markdown\"",
        urls::markdown_href(&tree.base, &path)
    );
    let mut prepared = Prepared::page(render_page(&view, &page), CacheControl::Revalidate)
        .with_header(LINK, &markdown);
    if page.noindex || view.noindex {
        prepared = prepared.with_header(ROBOTS, "noindex");
    }
    Ok(prepared)
}

const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

fn title(record: &PageRecord) -> String {
    if record.title.is_empty() { "Untitled".to_owned() } else { record.title.clone() }
}

/// An emoji as characters: the contract keeps codes, repositories write characters.
pub(super) fn emoji(text: &str) -> Option<String> {
    let by_code: Option<String> = text
        .split('-')
        .map(|code| u32::from_str_radix(code, 16).ok().and_then(char::from_u32))
        .collect();
    by_code.or_else(|| (!text.is_ascii()).then(|| text.to_owned()))
}

fn layout(record: &PageRecord) -> Layout {
    let layout = &record.layout;
    Layout {
        wide: layout.width == bindery_revision::LayoutWidth::Wide,
        cover: layout.cover,
        cover_full: layout.cover_size == bindery_revision::CoverSize::Full,
        title: layout.title,
        description: layout.description && record.description.is_some(),
        table_of_contents: layout.table_of_contents,
        outline: layout.outline,
        pagination: layout.pagination,
        metadata: layout.metadata,
    }
}

fn cover(shelf: &Shelf<'_>, cover: &Cover) -> Option<ThemedImage> {
    let address = |image: &ContentRef| match image {
        ContentRef::Url(url) => Some(url.clone()),
        ContentRef::File { file, space: None } => Some(shelf.file_href(*file)),
        _ => None,
    };
    let src = cover.image.as_ref().and_then(address)?;
    let dark = cover.image_dark.as_ref().and_then(address);
    Some(ThemedImage { src, dark, alt: String::new(), size: None })
}

impl Shelf<'_> {
    /// The address of a file on this site.
    pub(super) fn file_href(&self, file: bindery_model::FileId) -> String {
        format!("/~files/{}/{file}", self.place.space.id)
    }
}

/// The page at a path as Markdown.
pub(super) fn markdown(app: &App, tx: &Tx<'_>, site: &LoadedSite, path: &str) -> Result<Prepared> {
    let objects = tx.objects();
    let Some((place, rest)) = site.resolve(path) else { return not_found(app, tx, site, path) };
    let shelf = Shelf::open(app, site, place, &objects)?;
    let Some(id) = shelf.find(rest)? else {
        // A page whose own slug ends in `.md` has no other address.
        if shelf.find(&format!("{rest}.md"))?.is_some() {
            return html(app, tx, site, &format!("{path}.md"));
        }
        // `/guide.md` in an old link means the page, wherever it is now.
        return match shelf.moved(rest)? {
            Some(href) => Ok(Prepared::redirect(&format!("{}.md", href.trim_end_matches('/')))),
            None => missing(&shelf, rest),
        };
    };
    let record = shelf.tree.tree.page(id).map_err(broken_tree)?;
    if record.condition.is_some() || !matches!(record.kind, PageKind::Document | PageKind::Computed)
    {
        return missing(&shelf, rest);
    }
    let text = documents::markdown(app, &objects, &record)?;
    Ok(Prepared::new(200, "text/markdown; charset=utf-8", CacheControl::Revalidate, text)
        .with_header(LINK, &format!("<{}>; rel=\"canonical\"", shelf.tree.href(id)?)))
}

/// No page has this path.
pub(super) fn not_found(app: &App, tx: &Tx<'_>, site: &LoadedSite, path: &str) -> Result<Prepared> {
    let objects = tx.objects();
    match site.resolve(path) {
        Some((place, rest)) => missing(&Shelf::open(app, site, place, &objects)?, rest),
        None => {
            let view = SiteView::new(site.site.title.clone(), app.urls.sites(), site.base());
            Ok(answer_missing(&view, &[], &[]))
        }
    }
}

fn missing(shelf: &Shelf<'_>, path: &str) -> Result<Prepared> {
    let mut candidates = Vec::new();
    for child in shelf.tree.tree.walk().visible().take(LOOKED_AT) {
        let child = child.map_err(broken_object)?;
        if shown(&child) {
            let path = shelf.tree.path(child.id)?;
            candidates.push(Candidate { path, title: child.entry.title });
        }
    }
    let nearest: Vec<Nearest> = urls::nearest(path, candidates, NEAREST)
        .into_iter()
        .map(|near| Nearest {
            href: urls::href(&shelf.tree.base, &near.path),
            title: near.title,
            place: None,
        })
        .collect();
    let tree = navigation(&shelf.tree, &[], &Limits::default())?;
    Ok(answer_missing(&shelf.view(), &tree, &nearest))
}

fn answer_missing(view: &SiteView, tree: &[crate::view::NavNode], nearest: &[Nearest]) -> Prepared {
    let html = render_not_found(view, tree, nearest);
    Prepared::new(404, "text/html; charset=utf-8", CacheControl::Revalidate, html)
}

fn shown(child: &Child) -> bool {
    matches!(child.entry.kind, NavigationKind::Document)
        && !child.entry.hidden
        && child.entry.condition.is_none()
}

/// All pages of a site that feeds name.
pub(super) fn feed(app: &App, tx: &Tx<'_>, site: &LoadedSite) -> Result<Vec<FeedEntry>> {
    let objects = tx.objects();
    let mut entries = Vec::new();
    for place in &site.places {
        let shelf = Shelf::open(app, site, place, &objects)?;
        let tree = &shelf.tree;
        let mut section = None;
        for child in tree.tree.walk().visible() {
            let child = child.map_err(broken_object)?;
            if child.parent.is_none() {
                let group = child.entry.kind == NavigationKind::Group;
                section = group.then(|| child.entry.title.clone());
            }
            if !shown(&child) {
                continue;
            }
            let record = tree.tree.page(child.id).map_err(broken_tree)?;
            if record.no_index || record.no_robots_index {
                continue;
            }
            let path = tree.path(child.id)?;
            let absolute = |path: String| format!("{}{path}", app.urls.sites());
            entries.push(FeedEntry {
                href: absolute(urls::href(&tree.base, &path)),
                markdown_href: Some(absolute(urls::markdown_href(&tree.base, &path))),
                title: record.title,
                description: record.description,
                section: section.clone(),
                updated: Some(record.updated_at),
            });
        }
    }
    Ok(entries)
}
