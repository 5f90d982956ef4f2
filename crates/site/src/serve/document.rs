//! Renders a page's document as HTML with the addresses of the site that shows it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use bindery_app::{content, documents, expressions};
use bindery_content::expression::{Evaluator, Mode, evaluate_document};
use bindery_content::html::{self, FileLink, Links, PageLink, RenderContext};
use bindery_content::{Document, text};
use bindery_model::{FileId, PageId, Result, ReusableContentId};
use bindery_revision::{Hash, PageRecord, Variables};

use super::kept::{Depends, Kept};
use super::loaded::LoadedSite;
use super::page::Shelf;
use super::texts::{Packed, Rendered, TextKey};
use super::work::PAGE_SOURCE;
use crate::view::OutlineEntry;
use crate::words::words;

/// Maximum characters of a description that is derived from the text.
const DESCRIPTION: usize = 160;

/// Returns a page's text as HTML, from the cache if the cached one is valid. A page without a text
/// yields an empty result.
pub(super) fn render_document(shelf: &Shelf<'_>, record: &PageRecord) -> Result<Rendered> {
    let Some(body) = record.body else { return Ok(Rendered::default()) };
    let LoadedSite { site, changes, .. } = shelf.site;
    let variables = expressions::digest(&record.variables)?;
    let key = TextKey { site: site.id, space: shelf.place.space.id, body, variables };
    if let Some(kept) = shelf.texts.get(&key, site.version, changes) {
        if let Depends::On(marks) = &kept.depends {
            shelf.objects.add(marks);
        }
        return kept.value.open();
    }
    // The reads are recorded separately, so that the text can be cached independently of the page
    // around it.
    let objects = shelf.objects.anew();
    let rendered = render(&shelf.on(&objects), &body, &record.variables)?;
    let marks = objects.marks();
    shelf.objects.add(&marks);
    if shelf.work.is_void() {
        return Ok(rendered);
    }
    shelf.texts.insert(key, Kept::new(Packed::new(&rendered)?, Depends::On(marks), site.version));
    Ok(rendered)
}

fn render(shelf: &Shelf<'_>, body: &Hash, variables: &Variables) -> Result<Rendered> {
    let content = &shelf.place.snapshot.revision.content;
    let source = content::body(shelf.app, shelf.objects, body)?.source.len();
    if !shelf.work.read(source.min(PAGE_SOURCE)) {
        return Ok(Rendered::default());
    }
    let parsed =
        documents::parse_start(shelf.app, shelf.objects, Some(content), body, PAGE_SOURCE)?;
    let known = expressions::context(&content.variables, variables);
    // Evaluated before the summary is derived, so that the summary contains nothing that readers
    // may not see.
    let document = evaluate_document(&parsed.document, &known, Mode::Everything);
    let links = PageLinks {
        shelf,
        evaluator: Evaluator::new(&known),
        pages: RefCell::default(),
        reusable: RefCell::default(),
    };
    let context = RenderContext { links: &links, highlight: true };
    let html::Html { mut body, outline, is_adaptive: _, includes: _, is_truncated } =
        html::render(&document, &context);
    if parsed.is_cut && !is_truncated {
        html::write_notice(links.words(), &mut body);
    }
    let outline = outline
        .into_iter()
        .map(|heading| OutlineEntry {
            level: heading.level,
            anchor: heading.id,
            title: heading.text,
        })
        .collect();
    Ok(Rendered { body, outline, summary: text::description(&document, DESCRIPTION) })
}

/// Resolves references of a page to addresses of the site that shows it. References to absent or
/// unreadable targets resolve to nothing.
struct PageLinks<'a> {
    shelf: &'a Shelf<'a>,
    /// Evaluates expressions of reusable contents, which are included unevaluated.
    evaluator: Evaluator<'a>,
    /// Pages that were resolved before.
    pages: RefCell<HashMap<PageId, Option<PageLink>>>,
    /// Reusable contents that were resolved before.
    reusable: RefCell<HashMap<ReusableContentId, Option<Arc<Document>>>>,
}

impl PageLinks<'_> {
    fn find_page(&self, id: PageId) -> Option<PageLink> {
        // A reader who may not see a page does not see its title either.
        let href = self.shelf.tree.href_of_present(id)?;
        let record = self.shelf.tree.tree.page(id).ok()?;
        Some(PageLink { href, title: record.title })
    }

    fn read_reusable(&self, id: ReusableContentId) -> Option<Arc<Document>> {
        let Shelf { app, objects, work, .. } = *self.shelf;
        let content = &self.shelf.place.snapshot.revision.content;
        let body = content.reusable(objects, id).ok()??.body?;
        let source = content::body(app, objects, &body).ok()?.source.len();
        if !work.read(source) {
            return None;
        }
        Some(Arc::new(documents::parse(app, objects, Some(content), &body).ok()?.document))
    }
}

impl Links for PageLinks<'_> {
    fn words(&self) -> &'static html::Words {
        words(self.shelf.place.space.language.as_deref().unwrap_or_default()).text
    }

    fn page(&self, page: &str, space: Option<&str>) -> Option<PageLink> {
        if space.is_some_and(|space| space != self.shelf.place.space.id.as_str()) {
            return None;
        }
        let id = PageId::parse(page)?;
        if let Some(known) = self.pages.borrow().get(&id) {
            return known.clone();
        }
        let found = self.find_page(id);
        self.pages.borrow_mut().insert(id, found.clone());
        found
    }

    fn file(&self, file: &str) -> Option<FileLink> {
        let id = FileId::parse(file)?;
        let content = &self.shelf.place.snapshot.revision.content;
        let record = content.file(self.shelf.objects, id).ok()??;
        Some(FileLink {
            href: self.shelf.file_href(id),
            name: record.name,
            size: Some(record.size),
            dimensions: record.dimensions.map(|size| (size.width, size.height)),
        })
    }

    fn reusable_content(&self, id: &str, space: Option<&str>) -> Option<Arc<Document>> {
        if space.is_some() {
            return None;
        }
        let id = ReusableContentId::parse(id)?;
        if let Some(known) = self.reusable.borrow().get(&id) {
            return known.clone();
        }
        let found = self.read_reusable(id);
        self.reusable.borrow_mut().insert(id, found.clone());
        found
    }

    fn condition(&self, expression: &str) -> bool {
        self.evaluator.condition(expression)
    }

    fn expression(&self, expression: &str) -> Option<String> {
        self.evaluator.text(expression)
    }
    fn is_exhausted(&self) -> bool {
        self.shelf.work.is_exhausted()
    }
}
