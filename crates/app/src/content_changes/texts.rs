//! Texts of pages as they are submitted, and what is stored of them.

use bindery_content::document::JsonContext;
use bindery_content::markdown::{self, ParseContext};
use bindery_content::print::{PrintContext, print_page, print_page_edited};
use bindery_content::reference::Rebase;
use bindery_content::{Document, Identity, Page, identity};
use bindery_model::{PageId, Result};
use bindery_revision::{Hash, PageBody, PageRecord, Record};
use serde_json::Value;

use super::links::{InContent, Submitted};
use super::{At, NewDocument, Work};
use crate::content::{self, broken_object};
use crate::documents::{self, Known, Parsed};
use crate::texts::{NOWHERE, path_of, store};

/// A text that waits until all pages are where they will be.
#[derive(Debug)]
pub(super) struct Pending {
    at: At,
    pub(super) page: PageId,
    document: NewDocument,
}

impl Pending {
    pub(super) fn new(at: &At, page: PageId, document: NewDocument) -> Self {
        Self { at: at.field("document"), page, document }
    }
}

impl Work<'_, '_> {
    /// Writes the texts that were submitted, in their order.
    pub(super) fn write_texts(&mut self) -> Result<()> {
        for Pending { at, page, document } in std::mem::take(&mut self.texts) {
            let record = self.page(&at, page)?;
            let body = match record.body {
                None => Some(self.first_text(&at, &record, document)?),
                Some(old) => self.next_text(&at, &record, old, document)?,
            };
            let Some(body) = body else { continue };
            self.put_text(&at, record, &body)?;
        }
        Ok(())
    }

    /// Gives a page a text.
    pub(super) fn put_text(&mut self, at: &At, record: PageRecord, body: &PageBody) -> Result<()> {
        let hash = self.staging.put(body.encode().map_err(broken_object)?);
        if record.body == Some(hash) {
            return Ok(());
        }
        self.put(at, PageRecord { body: Some(hash), updated_at: self.now, ..record })
    }

    fn around(&self) -> InContent<'_> {
        InContent { content: &self.content, objects: &*self.staging }
    }

    /// The text of a page that had none.
    fn first_text(&self, at: &At, record: &PageRecord, document: NewDocument) -> Result<PageBody> {
        let around = self.around();
        let path = record.source_path.clone();
        let holder = path.as_deref().unwrap_or(NOWHERE);
        let head = markdown::print(&record.title, "");
        match document {
            NewDocument::Empty => Ok(store(head, path, &around, None)),
            NewDocument::Markdown(source) => {
                let source = self.with_links(&source, holder);
                let text = Page::split(&source).body.of(&source);
                let source = markdown::print(&record.title, text);
                Ok(store(source, path, &around, None))
            }
            NewDocument::Json(json) => {
                let document = self.read_json(at, &json, holder)?;
                let context = PrintContext { path: holder, lookup: &around, names: &around };
                let source = print_page(&head, &document, &context);
                Ok(store(source, path, &around, Some((&document, &Identity::default()))))
            }
        }
    }

    /// The text of a page that had one before; `None` where it stays as it is.
    fn next_text(
        &self,
        at: &At,
        record: &PageRecord,
        old: Hash,
        document: NewDocument,
    ) -> Result<Option<PageBody>> {
        let stored = content::body(self.app, &*self.staging, &old)?;
        let holder = match &stored.path {
            Some(path) => path.as_str(),
            None => record.source_path.as_deref().unwrap_or(NOWHERE),
        };
        let Parsed { document: before, .. } =
            documents::parse(self.app, &*self.staging, Some(&self.content), &old)?;
        let known = Identity::decode(&stored.identity);
        let lookup = Known::new(&stored, Some((&self.content, &*self.staging)));
        let after = match document {
            NewDocument::Empty => Document::default(),
            NewDocument::Markdown(source) => {
                let source = self.with_links(&source, holder);
                let text = Page::split(&source).body.of(&source);
                let context = ParseContext { path: holder, lookup: &lookup };
                let fresh = markdown::parse(text, &context);
                markdown::parse_as(text, &context, &identity::carry(&before, &known, &fresh))
            }
            NewDocument::Json(json) => self.read_json(at, &json, holder)?,
        };
        if after.says_the_same_as(&before) {
            return Ok(None);
        }
        Ok(Some(self.edited(&stored, &before, &after)))
    }

    /// The text `stored` with what leads from `before` to `after`.
    pub(super) fn edited(
        &self,
        stored: &PageBody,
        before: &Document,
        after: &Document,
    ) -> PageBody {
        let source = String::from_utf8_lossy(&stored.source);
        let lookup = Known::new(stored, Some((&self.content, &*self.staging)));
        let context =
            PrintContext { path: path_of(stored), lookup: &lookup, names: &self.around() };
        let source = print_page_edited(&source, before, after, &context);
        let known = Identity::decode(&stored.identity);
        store(source, stored.path.clone(), &lookup, Some((after, &known)))
    }

    /// A Markdown text whose links are written as files of the content name each other.
    fn with_links(&self, source: &str, holder: &str) -> String {
        let around = self.around();
        let submitted = Submitted { around, holder, references: &self.references };
        let rebase =
            Rebase { from: holder, to: holder, before: &submitted, after: &around, names: &around };
        rebase.apply(source).unwrap_or_else(|| source.to_owned())
    }

    fn read_json(&self, at: &At, json: &Value, holder: &str) -> Result<Document> {
        let around = self.around();
        let context = JsonContext { path: holder, lookup: &around, names: &around };
        let at = at.field("document");
        Document::from_json(json, &context).map_err(|mistakes| {
            let told: Vec<String> = mistakes
                .iter()
                .take(3)
                .map(|one| format!("body at {}{}: {}", at.pointer(), one.pointer, one.message))
                .collect();
            bindery_model::Error::invalid(told.join("; "))
        })
    }
}
