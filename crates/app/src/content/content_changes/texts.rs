//! Stores the submitted texts of pages.

use std::collections::BTreeSet;

use bindery_content::document::ReferenceRole;
use bindery_content::json::JsonContext;
use bindery_content::markdown;
use bindery_content::print::{PrintContext, print_page, print_page_edited_as};
use bindery_content::rebase::Rebase;
use bindery_content::reference::{self, ContentRef as Reference, Lookup, ParseContext};
use bindery_content::{Document, Identity, Page, identity};
use bindery_git::import;
use bindery_model::{FieldPath, FileId, PageId, Result};
use bindery_revision::tree::Tree;
use bindery_revision::{ContentRef, Cover, Hash, PageBody, PageRecord, PageTag, Record};
use serde_json::Value;

use super::links::{AsReader, InContent, Submitted};
use super::{NewDocument, Work};
use crate::content::documents::{self, Known};
use crate::content::snapshot::{self, broken_object, broken_tree};
use crate::content::texts::{NOWHERE, parse, path_of, store};

/// A text that is written after all pages are in their final positions.
#[derive(Debug)]
pub(super) struct Pending {
    at: FieldPath,
    pub(super) page: PageId,
    document: NewDocument,
    /// `true` if the request sent tags beside the text.
    tags: bool,
}

impl Pending {
    pub(super) fn new(at: &FieldPath, page: PageId, document: NewDocument, tags: bool) -> Self {
        Self { at: at.field("document"), page, document, tags }
    }
}

impl Work<'_, '_> {
    /// Writes the submitted texts in the order of the request.
    pub(super) fn write_texts(&mut self) -> Result<()> {
        for Pending { at, page, document, tags } in std::mem::take(&mut self.texts) {
            let mut record = self.page(&at, page)?;
            if let NewDocument::Markdown(source) = &document {
                record = self.with_front_matter(&at, record, source, tags)?;
            }
            if !self.written.contains(&page) {
                self.written.push(page);
            }
            let body = match record.body {
                None => Some(self.first_text(&at, &record, document)?),
                Some(old) => self.next_text(&at, &record, old, document)?,
            };
            let Some(body) = body else { continue };
            self.put_text(&at, record, &body)?;
        }
        Ok(())
    }

    /// Returns a page with the values of the new text's front matter that `Metadata` does not have,
    /// such as layout, cover and variables, and with its tags.
    fn with_front_matter(
        &mut self,
        at: &FieldPath,
        record: PageRecord,
        source: &str,
        tags: bool,
    ) -> Result<PageRecord> {
        let page = Page::split(source);
        if page.yaml.is_none() {
            return Ok(record);
        }
        let (front, _) = page.metadata(source);
        let mut next = record.clone();
        next.layout = front.layout;
        next.variables = import::variables(&front.variables);
        if !(tags && front.tags.is_empty()) {
            next.tags = front
                .tags
                .into_iter()
                .map(|tag| PageTag { tag: tag.tag, primary: tag.primary })
                .collect();
        }
        let holder = record.source_path.as_deref().unwrap_or(NOWHERE);
        let around = self.around();
        let submitted = Submitted { around, holder, references: &self.references };
        let image = |raw: &str| match reference::resolve(raw, holder, &submitted) {
            Reference::File { file } => {
                FileId::parse(&file).map(|file| ContentRef::File { file, space: None })
            }
            Reference::Url { url } if url.starts_with("http") => Some(ContentRef::Url(url)),
            _ => None,
        };
        next.cover = front.cover.map(|cover| Cover {
            image: image(&cover.light),
            image_dark: cover.dark.as_deref().and_then(image),
            y_pos: cover.y_position,
            height: cover.height,
        });
        if next == record {
            return Ok(record);
        }
        next.updated_at = self.now;
        self.put(at, next.clone())?;
        Ok(next)
    }

    /// Writes the text of a page.
    pub(super) fn put_text(
        &mut self,
        at: &FieldPath,
        record: PageRecord,
        body: &PageBody,
    ) -> Result<()> {
        let hash = self.staging.put(body.encode().map_err(broken_object)?);
        if record.body == Some(hash) {
            return Ok(());
        }
        self.put(at, PageRecord { body: Some(hash), updated_at: self.now, ..record })
    }

    fn around(&self) -> InContent<'_> {
        InContent { content: &self.content, objects: &*self.staging }
    }

    /// Creates the text of a page that has none.
    fn first_text(
        &self,
        at: &FieldPath,
        record: &PageRecord,
        document: NewDocument,
    ) -> Result<PageBody> {
        let around = self.around();
        let path = record.source_path.clone();
        let holder = path.as_deref().unwrap_or(NOWHERE);
        let head = markdown::print(&record.title, None, "");
        match document {
            NewDocument::Empty => Ok(store(head, path, &around, None)),
            NewDocument::Markdown(source) => {
                let source = self.with_links(&source, record.id, holder)?;
                let text = Page::split(&source).body.of(&source);
                let source = markdown::print(&record.title, None, text);
                Ok(store(source, path, &around, None))
            }
            NewDocument::Json(json) => {
                let document = self.read_json(at, &json, holder)?;
                let context = PrintContext { path: holder, lookup: &around, names: &around };
                let source = print_page(&head, &document, &context);
                check_length(at, &source, &document)?;
                Ok(store(source, path, &around, Some((&document, &Identity::default()))))
            }
        }
    }

    /// Returns the new text of a page that has one; `None` if the text stays unchanged.
    fn next_text(
        &mut self,
        at: &FieldPath,
        record: &PageRecord,
        old: Hash,
        document: NewDocument,
    ) -> Result<Option<PageBody>> {
        let stored = snapshot::body(self.app, &*self.staging, &old)?;
        let holder = match &stored.path {
            Some(path) => path.as_str(),
            None => record.source_path.as_deref().unwrap_or(NOWHERE),
        };
        let lookup = self.known(&stored);
        let before = parse(&stored, &lookup);
        let known = Identity::decode(&stored.identity);
        let is_json = matches!(document, NewDocument::Json(_));
        let after = match document {
            NewDocument::Empty => Document::default(),
            NewDocument::Markdown(source) => {
                let source = self.with_links(&source, record.id, holder)?;
                let text = Page::split(&source).body.of(&source);
                let context = ParseContext { path: holder, lookup: &lookup };
                let fresh = markdown::parse(text, &context);
                markdown::parse_as(text, &context, &identity::transfer(&before, &known, &fresh))
            }
            NewDocument::Json(json) => self.read_json(at, &json, holder)?,
        };
        self.decide_text(record, &before, &after)?;
        if after.has_same_content_as(&before) {
            return Ok(None);
        }
        let body = self.edited(&stored, &before, &after, &self.known(&stored));
        if is_json {
            check_length(at, &String::from_utf8_lossy(&body.source), &after)?;
        }
        Ok(Some(body))
    }

    /// Returns the targets of the links of a stored text.
    pub(super) fn known(&self, stored: &PageBody) -> Known<'_> {
        Known::new(stored, Some((&self.content, &*self.staging)))
    }

    /// Returns the text `stored` with the edits that lead from `before` to `after`.
    pub(super) fn edited(
        &self,
        stored: &PageBody,
        before: &Document,
        after: &Document,
        lookup: &Known<'_>,
    ) -> PageBody {
        let source = String::from_utf8_lossy(&stored.source);
        let context = PrintContext { path: path_of(stored), lookup, names: &self.around() };
        let known = Identity::decode(&stored.identity);
        let source = print_page_edited_as(&source, &known, before, after, &context);
        store(source, stored.path.clone(), lookup, Some((after, &known)))
    }

    /// Returns a Markdown text whose links are relative paths between files of the content.
    fn with_links(&self, source: &str, page: PageId, holder: &str) -> Result<String> {
        let around = self.around();
        let submitted = Submitted { around, holder, references: &self.references };
        let source = without_inlined_pictures(source, holder, &submitted);
        let place = Tree::new(&self.content, &*self.staging).path(page).map_err(broken_tree)?;
        let files = format!("{}/~files/{}/", self.app.urls.base(), self.space);
        let reader = AsReader { submitted: &submitted, place: &place, files: &files };
        let source = reader.apply(&source).unwrap_or(source);
        let rebase =
            Rebase { from: holder, to: holder, before: &submitted, after: &around, names: &around };
        Ok(rebase.apply(&source).unwrap_or(source))
    }

    fn read_json(&self, at: &FieldPath, json: &Value, holder: &str) -> Result<Document> {
        let around = self.around();
        let context =
            JsonContext { path: holder, lookup: &around, names: &around, parse: markdown::parse };
        let at = at.field("document");
        Document::from_json(json, &context).map_err(|mistakes| documents::refused(&at, &mistakes))
    }
}

/// Returns an error if a document is too large to be parsed again after it is printed as Markdown.
fn check_length(at: &FieldPath, source: &str, document: &Document) -> Result<()> {
    let (length, longest) = (Page::split(source).body.len(), markdown::PARSE_LIMIT);
    let (nodes, most) = (markdown::node_count(document), markdown::NODE_LIMIT);
    if length <= longest && nodes <= most {
        return Ok(());
    }
    Err(at.field("document").invalid(format_args!(
        "found {length} bytes of Markdown with {nodes} blocks and pieces of lines, \
         allowed: up to {longest} and {most}"
    )))
}

/// Maximum number of link definitions whose inline data are removed from a text. Each takes a pass
/// over the text.
const DEFINITIONS: usize = 32;

/// Returns a text without the bytes of pictures in `data:` URLs, except those that an import stored
/// as files.
fn without_inlined_pictures(source: &str, holder: &str, lookup: &dyn Lookup) -> String {
    // Most texts have no such pictures and need no parsing.
    if !source.contains("data:") {
        return source.to_owned();
    }
    let text = Page::split(source).body.of(source);
    let document = markdown::parse(text, &ParseContext { path: holder, lookup });
    let is_picture = |role| matches!(role, ReferenceRole::Image | ReferenceRole::InlineImage);
    let mut inlined: Vec<_> = document
        .references()
        .into_iter()
        .map(|held| (held.role, held.reference))
        .filter(|(role, found)| is_picture(*role) && found.raw.starts_with("data:"))
        .filter(|(_, found)| matches!(found.target, Reference::Url { .. }))
        .map(|(_, found)| found)
        .collect();
    inlined.sort_by_key(|found| found.span.start);
    let mut written = source.get(..source.len() - text.len()).unwrap_or_default().to_owned();
    let mut done = 0;
    let mut elsewhere = BTreeSet::new();
    for found in inlined {
        let start = found.span.start.max(done);
        match text.get(start..found.span.end).and_then(|link| link.find(&found.raw)) {
            Some(at) => {
                written.push_str(text.get(done..start + at).unwrap_or_default());
                done = start + at + found.raw.len();
            }
            None => {
                elsewhere.insert(found.raw.as_str());
            }
        }
    }
    written.push_str(text.get(done..).unwrap_or_default());
    // Remove the data of link definitions.
    elsewhere.into_iter().take(DEFINITIONS).fold(written, |text, raw| text.replace(raw, ""))
}
