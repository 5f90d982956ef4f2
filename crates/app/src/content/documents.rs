//! Documents of pages. They are parsed on demand from the text and its stored references.

use bindery_content::evaluation::{Mode, evaluate_document_with};
use bindery_content::json::{DocumentError, JsonContext};
use bindery_content::reference::{Lookup, NoLookup, ParseContext};
use bindery_content::{Document, Identity, Page};
use bindery_content::{heading_scan, markdown};
use bindery_expression::Evaluator;
use bindery_model::{Error, FieldPath, Result};
use bindery_revision::{
    Content, Hash, Objects, PageBody, PageRecord, PathEntry, ReusableRecord, Variables,
};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::App;
use crate::content::expressions;
use crate::content::snapshot::{self, DocumentKey, Snapshot};
use crate::content::texts::{self, NOWHERE, Paths, file_id, page_id, reusable_id};
use crate::publishing::adaptive::Answers;

/// Selects the expressions of a document that are evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evaluation {
    /// No expressions.
    No,
    /// Expressions that do not depend on the visitor.
    DeterministicOnly,
    /// All expressions.
    All,
}

impl Evaluation {
    pub(super) fn mode(self) -> Mode {
        match self {
            Self::No => Mode::Nothing,
            Self::DeterministicOnly => Mode::Deterministic,
            Self::All => Mode::Everything,
        }
    }
}

/// The text of a page without front matter and title, and its document.
pub struct Parsed {
    /// The parsed text.
    pub body: String,
    /// The parsed document.
    pub document: Document,
    /// `true` if the text was cut.
    pub is_cut: bool,
}

impl std::fmt::Debug for Parsed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parsed").field("bytes", &self.body.len()).finish_non_exhaustive()
    }
}

/// Parses the text of a page or reusable content.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn parse(
    app: &App,
    objects: &dyn Objects,
    content: Option<&Content>,
    body: &Hash,
) -> Result<Parsed> {
    parse_start(app, objects, content, body, usize::MAX)
}

/// Parses the first `limit` bytes of the text of a page or reusable content, up to the end of a
/// line.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn parse_start(
    app: &App,
    objects: &dyn Objects,
    content: Option<&Content>,
    body: &Hash,
    limit: usize,
) -> Result<Parsed> {
    let stored = snapshot::body(app, objects, body)?;
    let source = snapshot::source(&stored);
    let identity = Identity::decode(&stored.identity);
    let page = Page::split_as(&source, &identity);
    let whole = page.body.of(&source);
    let body = start_of(whole, limit);
    let is_cut = body.len() < whole.len();
    let body = body.to_owned();
    let path = texts::path_of(&stored);
    let known = Known::new(&stored, content.map(|content| (content, objects)));
    let context = ParseContext { path, lookup: &known };
    let document = page.parse(&source, &body, &context, &identity);
    Ok(Parsed { body, document, is_cut })
}

/// Returns anchors of headings of a page's text that are found without parsing it. The text can have
/// others.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn heading_anchors(app: &App, objects: &dyn Objects, body: &Hash) -> Result<HashSet<String>> {
    let stored = snapshot::body(app, objects, body)?;
    let source = snapshot::source(&stored);
    let identity = Identity::decode(&stored.identity);
    let body = Page::split_as(&source, &identity).body.of(&source);
    Ok(heading_scan::heading_anchors(body, &identity))
}

/// Returns the whole lines in the first `limit` bytes of a text, or the first `limit` bytes if they
/// contain no end of a line.
fn start_of(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let start = text.get(..text.floor_char_boundary(limit)).unwrap_or_default();
    start.rfind('\n').and_then(|end| start.get(..=end)).unwrap_or(start)
}

/// Returns the document of a page as JSON in the format of the contract. `answers` are those of the
/// reader to expressions that depend on the visitor.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn of_page(
    app: &App,
    objects: &dyn Objects,
    snapshot: &Snapshot,
    record: &PageRecord,
    evaluated: Evaluation,
    answers: &Answers,
) -> Result<String> {
    let text = Text { body: record.body.as_ref(), variables: &record.variables };
    of_text(app, objects, snapshot, text, evaluated, answers)
}

/// Returns the document of a reusable content as JSON in the format of the contract. Its
/// expressions cannot read variables of a page, because any page can include it.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn of_reusable(
    app: &App,
    objects: &dyn Objects,
    snapshot: &Snapshot,
    record: &ReusableRecord,
    evaluated: Evaluation,
    answers: &Answers,
) -> Result<String> {
    let text = Text { body: record.body.as_ref(), variables: &Variables::new() };
    of_text(app, objects, snapshot, text, evaluated, answers)
}

/// A stored text with the variables that its expressions can read besides those of the space.
#[derive(Clone, Copy)]
struct Text<'a> {
    body: Option<&'a Hash>,
    variables: &'a Variables,
}

fn of_text(
    app: &App,
    objects: &dyn Objects,
    snapshot: &Snapshot,
    text: Text<'_>,
    evaluated: Evaluation,
    answers: &Answers,
) -> Result<String> {
    let Text { body, variables } = text;
    let content = &snapshot.revision.content;
    let Some(body) = body else {
        return to_json(&Document::default());
    };
    let key = DocumentKey {
        body: *body,
        paths: content.paths.root(),
        evaluated: match evaluated {
            Evaluation::No => None,
            mode => Some(digest(mode, &content.variables, variables, answers)?),
        },
    };
    if let Some(known) = app.content.document(&key) {
        return Ok(known.as_ref().clone());
    }
    let mut document = parse(app, objects, Some(content), body)?.document;
    if evaluated != Evaluation::No {
        let context = expressions::context(&content.variables, variables);
        let visitor = answers.of_page(&content.variables, variables);
        let evaluator = Evaluator::new(&context).with_visitor(&visitor);
        document = evaluate_document_with(&document, &evaluator, evaluated.mode());
    }
    let json = Arc::new(to_json(&document)?);
    app.content.keep_document(key, Arc::clone(&json));
    Ok(Arc::unwrap_or_clone(json))
}

/// Returns a hash of everything that the results of expressions depend on.
fn digest(
    mode: Evaluation,
    space: &Variables,
    page: &Variables,
    answers: &Answers,
) -> Result<Hash> {
    let claims = answers.claims_digest().filter(|_| mode == Evaluation::All);
    let everything = mode == Evaluation::All;
    let bytes = serde_json::to_vec(&(everything, space, page, claims))
        .map_err(|error| Error::internal(format!("variables are not JSON: {error}")))?;
    Ok(Hash::of(&bytes))
}

/// Returns the document of a text as JSON, parsed without the context of its space.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn of_object(app: &App, objects: &dyn Objects, body: &Hash) -> Result<String> {
    to_json(&parse(app, objects, None, body)?.document)
}

/// Returns the document of a Markdown text that belongs to no page as JSON.
///
/// # Errors
/// Returns an error if the document cannot be encoded.
pub fn of_markdown(text: &str) -> Result<String> {
    to_json(&markdown::parse(text, &ParseContext { path: NOWHERE, lookup: &NoLookup }))
}

/// Validates a document that a user wrote, such as a description or a comment, and returns it in
/// its stored form. `pointer` is its location in the request.
///
/// # Errors
/// Returns the first mistakes with their locations.
pub fn of_people(pointer: impl Into<FieldPath>, document: &Value) -> Result<String> {
    crate::review::rich_text::to_json(&written(&pointer.into(), document)?, document)
}

/// Validates a document that a user wrote. It belongs to no page, so its relative links have no
/// target. Removes unknown data of blocks.
///
/// # Errors
/// Returns the first mistakes with their locations.
pub(crate) fn written(pointer: &FieldPath, document: &Value) -> Result<Document> {
    let context = JsonContext {
        path: NOWHERE,
        lookup: &NoLookup,
        names: &Paths::default(),
        parse: markdown::parse,
    };
    Document::from_rich_text(document, &context).map_err(|mistakes| refused(pointer, &mistakes))
}

/// Maximum number of mistakes in a document that an error describes.
const MAX_DESCRIBED: usize = 3;

/// Returns the error that describes the first mistakes in the document at `path`.
pub(crate) fn refused(path: &FieldPath, mistakes: &[DocumentError]) -> Error {
    let described = mistakes.iter().take(MAX_DESCRIBED);
    described
        .map(|mistake| path.join(&mistake.pointer).invalid(&mistake.message))
        .reduce(Error::and)
        .unwrap_or_else(|| path.invalid("the document is invalid"))
}

pub(crate) fn to_json(document: &Document) -> Result<String> {
    serde_json::to_string(document)
        .map_err(|error| Error::internal(format!("a document is not JSON: {error}")))
}

/// Resolves paths to the targets that were stored with a text, and all other paths in the current
/// content. It caches its results, because a text is read several times while it is saved. It must
/// therefore not outlive a change of the content.
pub(crate) struct Known<'a> {
    stored: Paths,
    around: Option<(&'a Content, &'a dyn Objects)>,
    found: RefCell<HashMap<String, Option<PathEntry>>>,
}

impl<'a> Known<'a> {
    pub(crate) fn new(body: &PageBody, around: Option<(&'a Content, &'a dyn Objects)>) -> Self {
        Self { stored: Paths::of([body]), around, found: RefCell::default() }
    }

    /// Creates a lookup from stored paths and a content.
    pub(crate) fn beside(stored: Paths, content: &'a Content, objects: &'a dyn Objects) -> Self {
        Self { stored, around: Some((content, objects)), found: RefCell::default() }
    }

    /// Returns the target of a path.
    fn entry(&self, path: &str) -> Option<PathEntry> {
        if let Some(known) = self.found.borrow().get(path) {
            return *known;
        }
        let found = self.find(path);
        self.found.borrow_mut().insert(path.to_owned(), found);
        found
    }

    /// Returns the stored target of a path if it still exists, otherwise the current one.
    fn find(&self, path: &str) -> Option<PathEntry> {
        let stored = self.stored.get(path);
        let Some((content, objects)) = self.around else {
            return stored;
        };
        let exists = match stored {
            Some(PathEntry::Page(id)) => content.page(objects, id).ok().flatten().is_some(),
            Some(PathEntry::File(id)) => content.file(objects, id).ok().flatten().is_some(),
            Some(PathEntry::Reusable(id)) => content.reusable(objects, id).ok().flatten().is_some(),
            None => false,
        };
        if exists {
            return stored;
        }
        let spellings = [
            path.to_owned(),
            format!("{path}.md"),
            format!("{}/README.md", path.trim_end_matches('/')),
            format!("{path}README.md"),
        ];
        spellings.iter().find_map(|path| content.at_path(objects, path).ok().flatten())
    }
}

impl Lookup for Known<'_> {
    fn page(&self, path: &str) -> Option<String> {
        self.entry(path).and_then(page_id)
    }

    fn file(&self, path: &str) -> Option<String> {
        self.entry(path).and_then(file_id)
    }

    fn reusable_content(&self, path: &str) -> Option<String> {
        self.entry(path).and_then(reusable_id)
    }

    fn page_at(&self, url_path: &str) -> Option<String> {
        let (content, objects) = self.around?;
        let tree = bindery_revision::tree::Tree::new(content, objects);
        tree.by_path(url_path).ok().flatten().map(|id| id.to_string())
    }

    fn outside_url(&self, raw: &str) -> Option<String> {
        self.stored.outside_url(raw)
    }
}
