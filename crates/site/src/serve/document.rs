//! A page's document as HTML, with the addresses of this site in it.

use std::sync::Arc;

use bindery_app::{documents, expressions};
use bindery_content::expression::{Evaluator, Mode, evaluate_document};
use bindery_content::html::{self, FileLink, Links, PageLink, RenderContext};
use bindery_content::{Document, text};
use bindery_model::{FileId, PageId, Result, ReusableContentId};
use bindery_revision::{Hash, PageRecord, Variables};

use super::kept::{Depends, Kept};
use super::loaded::LoadedSite;
use super::page::Shelf;
use super::texts::{Packed, Rendered, TextKey};
use crate::view::OutlineEntry;
use crate::words::words;

/// Characters of a description that is taken from the text.
const DESCRIPTION: usize = 160;

/// A page's text as HTML, kept from before where it still holds; a page without one is empty.
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
    // On a list of its own, so that it can be kept whatever happens around it.
    let objects = shelf.objects.anew();
    let rendered = render(&shelf.on(&objects), &body, &record.variables)?;
    let marks = objects.marks();
    shelf.objects.add(&marks);
    shelf.texts.insert(key, Kept::new(Packed::new(&rendered)?, Depends::On(marks), site.version));
    Ok(rendered)
}

fn render(shelf: &Shelf<'_>, body: &Hash, variables: &Variables) -> Result<Rendered> {
    let content = &shelf.place.snapshot.revision.content;
    let parsed = documents::parse(shelf.app, shelf.objects, Some(content), body)?;
    let known = expressions::context(&content.variables, variables);
    // Before anything is taken from it: what readers may not see is not in its summary either.
    let document = evaluate_document(&parsed.document, &known, Mode::Everything);
    let links = PageLinks { shelf, evaluator: Evaluator::new(&known) };
    let context = RenderContext { links: &links, highlight: true };
    let html::Html { body, outline, is_adaptive: _, includes: _ } =
        html::render(&document, &context);
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

/// References of a page, as addresses of the site that shows it. What is not there, or cannot be
/// read, leads nowhere.
struct PageLinks<'a> {
    shelf: &'a Shelf<'a>,
    /// For reusable contents, which come without their expressions evaluated.
    evaluator: Evaluator<'a>,
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
        // Who is not shown a page is not shown its title either.
        let href = self.shelf.tree.href_of_present(id)?;
        let record = self.shelf.tree.tree.page(id).ok()?;
        Some(PageLink { href, title: record.title })
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
        let content = &self.shelf.place.snapshot.revision.content;
        let record = content.reusable(self.shelf.objects, ReusableContentId::parse(id)?).ok()??;
        let parsed =
            documents::parse(self.shelf.app, self.shelf.objects, Some(content), &record.body?)
                .ok()?;
        Some(Arc::new(parsed.document))
    }
    fn condition(&self, expression: &str) -> bool {
        self.evaluator.condition(expression)
    }

    fn expression(&self, expression: &str) -> Option<String> {
        self.evaluator.text(expression)
    }
}
