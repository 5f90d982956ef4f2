//! The targets of references in a PDF.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bindery_content::document::OpenApiPart;
use bindery_content::html::{FileLink, Labels, Links, OpenApiView, PageLink};
use bindery_content::reference::{ContentRef, NoLookup, ParseContext};
use bindery_content::{Document, markdown, text};
use bindery_expression::Evaluator;
use bindery_model::{FileId, PageId, ReusableContentId, SpaceId};
use bindery_paper::{FILE_SCHEME, PAGE_SCHEME};
use bindery_revision::tree::Tree;
use bindery_revision::{Content, Objects};

use crate::App;
use crate::content::openapi::{self, BlockSpecs};
use crate::content::{documents, texts};
use crate::publishing::adaptive::Answers;
use crate::publishing::published;

/// Maximum size of the Markdown of a part of a specification, in bytes.
const MAX_PART: usize = 256 << 10;

/// The content, links and texts that all pages of a PDF share.
pub(super) struct PdfContent<'a> {
    pub(super) app: &'a App,
    pub(super) objects: &'a dyn Objects,
    pub(super) space: SpaceId,
    pub(super) content: &'a Content,
    pub(super) answers: &'a Answers,
    /// `true` if pages whose condition does not hold are absent.
    pub(super) is_restricted: bool,
    /// `true` if addresses of pages contain their paths, otherwise their ids.
    pub(super) is_on_site: bool,
    /// The pages of the PDF.
    pub(super) pages: HashSet<PageId>,
    /// The address with which those of pages begin.
    pub(super) base: &'a str,
    pub(super) labels: &'static Labels,
    /// Reusable contents that were read before.
    pub(super) reusable: RefCell<HashMap<ReusableContentId, Option<Arc<Document>>>>,
    /// The descriptions that blocks name.
    pub(super) specs: BlockSpecs<'a>,
}

impl PdfContent<'_> {
    /// Returns `true` if the conditions of a page and of those above it hold.
    fn is_present(&self, id: PageId) -> bool {
        let tree = Tree::new(self.content, self.objects);
        let mut next = Some(id);
        while let Some(id) = next {
            let Ok(page) = tree.page(id) else { return false };
            if !published::admits(self.answers, &self.content.variables, &page) {
                return false;
            }
            next = page.parent;
        }
        true
    }

    fn find_page(&self, id: PageId) -> Option<PageLink> {
        let tree = Tree::new(self.content, self.objects);
        let title = tree.page(id).ok()?.title;
        if self.pages.contains(&id) {
            return Some(PageLink { href: format!("{PAGE_SCHEME}{id}"), title });
        }
        if self.is_restricted && !self.is_present(id) {
            return None;
        }
        let place = if self.is_on_site { tree.path(id).ok()? } else { id.to_string() };
        Some(PageLink { href: format!("{}{place}", self.base), title })
    }

    fn read_reusable(&self, id: ReusableContentId) -> Option<Arc<Document>> {
        let body = self.content.reusable(self.objects, id).ok()??.body?;
        let parsed = documents::parse(self.app, self.objects, Some(self.content), &body).ok()?;
        Some(Arc::new(parsed.document))
    }
}

/// Resolves the references of one page.
pub(super) struct PdfLinks<'a> {
    pub(super) of: &'a PdfContent<'a>,
    /// Evaluates the expressions of reusable contents, which are included unevaluated.
    pub(super) evaluator: Evaluator<'a>,
}

impl Links for PdfLinks<'_> {
    fn labels(&self) -> &'static Labels {
        self.of.labels
    }

    fn page(&self, page: &str, space: Option<&str>) -> Option<PageLink> {
        if space.is_some_and(|space| space != self.of.space.as_str()) {
            return None;
        }
        self.of.find_page(PageId::parse(page)?)
    }

    fn file(&self, file: &str) -> Option<FileLink> {
        let record = self.of.content.file(self.of.objects, FileId::parse(file)?).ok()??;
        Some(FileLink {
            href: format!("{FILE_SCHEME}{}", record.id),
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
        if let Some(known) = self.of.reusable.borrow().get(&id) {
            return known.clone();
        }
        let found = self.of.read_reusable(id);
        self.of.reusable.borrow_mut().insert(id, found.clone());
        found
    }

    fn open_api(&self, spec: &ContentRef, part: &OpenApiPart) -> Option<OpenApiView> {
        let description = self.of.specs.read(spec, part)?;
        let text = openapi::markdown(&description, part, MAX_PART)?;
        let (title, text) = match text.strip_prefix("## ").and_then(|text| text.split_once('\n')) {
            Some((title, rest)) => (title, rest),
            None => ("", text.as_str()),
        };
        let context = ParseContext { path: texts::NOWHERE, lookup: &NoLookup };
        let read = |text: &str| Arc::new(markdown::parse(text, &context));
        Some(OpenApiView {
            title: text::plain(&read(title)),
            lead: String::new(),
            description: Some(read(text)),
            details: String::new(),
            samples: None,
        })
    }

    fn condition(&self, expression: &str) -> bool {
        self.evaluator.condition(expression)
    }

    fn expression(&self, expression: &str) -> Option<String> {
        self.evaluator.text(expression)
    }
}
