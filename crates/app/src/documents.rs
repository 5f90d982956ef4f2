//! Documents of pages: parsed when asked for, from the text and what it was found to refer to.

use bindery_content::evaluation::{Mode, evaluate_document, evaluate_source};
use bindery_content::json::JsonContext;
use bindery_content::markdown;
use bindery_content::reference::{self, ContentRef as Reference, Lookup, NoLookup, ParseContext};
use bindery_content::{Document, Identity, Page};
use bindery_model::{Error, FileId, PageId, Result};
use bindery_revision::{
    Content, Hash, Objects, PageBody, PageRecord, PathEntry, ReusableRecord, Variables,
};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use crate::App;
use crate::content::{self, DocumentKey, Snapshot};
use crate::expressions;
use crate::texts::{self, NOWHERE, Paths, file_id, page_id, reusable_id};

/// Maximum bytes of a text whose expressions are evaluated. The rest of it is left out, as it is
/// not known which parts of it may be read.
const EVALUATED_BYTES: usize = 4 << 20;
/// Bytes of addresses that are written into one text. Links beyond that stay as they are.
const ADDRESS_BYTES: usize = 8 << 20;
/// Stands for what was left out.
const CUT: &str = "\n\n---\n\nThis page is too large to be shown in full.\n";

/// Which expressions of a document are to be evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evaluation {
    /// None.
    No,
    /// Those that do not depend on the visitor.
    DeterministicOnly,
    /// All.
    All,
}

impl Evaluation {
    fn mode(self) -> Mode {
        match self {
            Self::No => Mode::Nothing,
            Self::DeterministicOnly => Mode::Deterministic,
            Self::All => Mode::Everything,
        }
    }
}

/// The text of a page after front matter and title, and the document in it.
pub struct Parsed {
    /// The parsed text.
    pub body: String,
    /// The parsed document.
    pub document: Document,
    /// True if the text goes on.
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
/// When an object cannot be read.
pub fn parse(
    app: &App,
    objects: &dyn Objects,
    content: Option<&Content>,
    body: &Hash,
) -> Result<Parsed> {
    parse_start(app, objects, content, body, usize::MAX)
}

/// Parses the text of a page or reusable content up to so many bytes, whole lines only.
///
/// # Errors
/// When an object cannot be read.
pub fn parse_start(
    app: &App,
    objects: &dyn Objects,
    content: Option<&Content>,
    body: &Hash,
    limit: usize,
) -> Result<Parsed> {
    let stored = content::body(app, objects, body)?;
    let source = content::source(&stored);
    let whole = Page::split(&source).body.of(&source);
    let body = start_of(whole, limit);
    let is_cut = body.len() < whole.len();
    let body = body.to_owned();
    let path = texts::path_of(&stored);
    let known = Known::new(&stored, content.map(|content| (content, objects)));
    let identity = Identity::decode(&stored.identity);
    let document = markdown::parse_as(&body, &ParseContext { path, lookup: &known }, &identity);
    Ok(Parsed { body, document, is_cut })
}

/// Returns the lines of a text that end within so many bytes, or else so many bytes.
fn start_of(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let start = text.get(..text.floor_char_boundary(limit)).unwrap_or_default();
    start.rfind('\n').and_then(|end| start.get(..=end)).unwrap_or(start)
}

/// The document of a page as the contract has it, as JSON.
///
/// # Errors
/// When an object cannot be read.
pub fn of_page(
    app: &App,
    objects: &dyn Objects,
    snapshot: &Snapshot,
    record: &PageRecord,
    evaluated: Evaluation,
) -> Result<String> {
    of_text(app, objects, snapshot, record.body.as_ref(), &record.variables, evaluated)
}

/// The document of a reusable content as the contract has it, as JSON. Expressions in it see no
/// page: it may stand on any.
///
/// # Errors
/// When an object cannot be read.
pub fn of_reusable(
    app: &App,
    objects: &dyn Objects,
    snapshot: &Snapshot,
    record: &ReusableRecord,
    evaluated: Evaluation,
) -> Result<String> {
    let body = record.body.as_ref();
    of_text(app, objects, snapshot, body, &Variables::new(), evaluated)
}

fn of_text(
    app: &App,
    objects: &dyn Objects,
    snapshot: &Snapshot,
    body: Option<&Hash>,
    variables: &Variables,
    evaluated: Evaluation,
) -> Result<String> {
    let content = &snapshot.revision.content;
    let Some(body) = body else {
        return to_json(&Document::default());
    };
    let key = DocumentKey {
        body: *body,
        paths: content.paths.root(),
        evaluated: match evaluated {
            Evaluation::No => None,
            mode => Some(digest(mode, &content.variables, variables)?),
        },
    };
    if let Some(known) = app.content.document(&key) {
        return Ok(known.as_ref().clone());
    }
    let mut document = parse(app, objects, Some(content), body)?.document;
    if evaluated != Evaluation::No {
        let context = expressions::context(&content.variables, variables);
        document = evaluate_document(&document, &context, evaluated.mode());
    }
    let json = Arc::new(to_json(&document)?);
    app.content.keep_document(key, Arc::clone(&json));
    Ok(Arc::unwrap_or_clone(json))
}

/// Returns a hash of everything that the results of expressions depend on.
fn digest(mode: Evaluation, space: &Variables, page: &Variables) -> Result<Hash> {
    let everything = mode == Evaluation::All;
    let bytes = serde_json::to_vec(&(everything, space, page))
        .map_err(|error| Error::internal(format!("variables are not JSON: {error}")))?;
    Ok(Hash::of(&bytes))
}

/// The document of a text, without the space around it.
///
/// # Errors
/// When an object cannot be read.
pub fn of_object(app: &App, objects: &dyn Objects, body: &Hash) -> Result<String> {
    to_json(&parse(app, objects, None, body)?.document)
}

/// A document that people write about something, such as a description or a comment, checked and as
/// it is stored. `pointer` names it in the request.
///
/// # Errors
/// The first mistakes, with their places.
pub fn of_people(pointer: &str, document: &Value) -> Result<String> {
    crate::rich_text::to_json(&written(pointer, document)?, document)
}

/// A document that people write about something, checked. It stands nowhere: relative links in it
/// lead nowhere. Its blocks may have data that is not known; the result is without it.
///
/// # Errors
/// The first mistakes, with their places.
pub(crate) fn written(pointer: &str, document: &Value) -> Result<Document> {
    let context = JsonContext {
        path: NOWHERE,
        lookup: &NoLookup,
        names: &Paths::default(),
        parse: markdown::parse,
    };
    Document::from_rich_text(document, &context).map_err(|mistakes| {
        let told = mistakes
            .iter()
            .take(3)
            .map(|mistake| format!("body at {pointer}{}: {}", mistake.pointer, mistake.message));
        Error::invalid(told.collect::<Vec<_>>().join("; "))
    })
}

pub(crate) fn to_json(document: &Document) -> Result<String> {
    serde_json::to_string(document)
        .map_err(|error| Error::internal(format!("a document is not JSON: {error}")))
}

/// Addresses of pages and files for the readers of a page's Markdown, who do not know the files
/// that the space was imported from.
pub trait LinkAddresses {
    /// Returns the address of a page; `None` leaves the link as it is written.
    ///
    /// # Errors
    /// When an object cannot be read.
    fn page(&self, page: PageId) -> Result<Option<String>>;

    /// Returns the address of a file; `None` leaves the link as it is written.
    ///
    /// # Errors
    /// When an object cannot be read.
    fn file(&self, file: FileId) -> Result<Option<String>>;
}

/// Returns a page as Markdown: its title and its body, without front matter. Links to pages and
/// files of the space lead to `addresses`; those that lead nowhere stay as they are written.
///
/// # Errors
/// When an object cannot be read.
pub fn markdown(
    app: &App,
    objects: &dyn Objects,
    content: &Content,
    record: &PageRecord,
    evaluated: Evaluation,
    addresses: &dyn LinkAddresses,
) -> Result<String> {
    let Some(body) = &record.body else {
        return Ok(markdown::print(&record.title, ""));
    };
    let stored = content::body(app, objects, body)?;
    let text = if evaluated == Evaluation::No {
        let source = content::source(&stored);
        Page::split(&source).body.of(&source).to_owned()
    } else {
        let Parsed { body, document, is_cut } =
            parse_start(app, objects, Some(content), body, EVALUATED_BYTES)?;
        let context = expressions::context(&content.variables, &record.variables);
        let mut text = evaluate_source(&body, &document, &context, evaluated.mode());
        if is_cut {
            text.push_str(CUT);
        }
        text
    };
    let known = Known::new(&stored, Some((content, objects)));
    let text = with_addresses(&text, texts::path_of(&stored), &known, addresses)?.unwrap_or(text);
    // Imported text may contain U+0000, which responses must not contain. Markdown parsers read it
    // as the replacement character.
    let text = if text.contains('\0') { text.replace('\0', "\u{FFFD}") } else { text };
    Ok(markdown::print(&record.title, &text))
}

/// A text whose links lead to `addresses`; `None` where it stays as it is.
fn with_addresses(
    text: &str,
    holder: &str,
    known: &Known<'_>,
    addresses: &dyn LinkAddresses,
) -> Result<Option<String>> {
    let of_page = |page: &str| match PageId::parse(page) {
        Some(page) => addresses.page(page),
        None => Ok(None),
    };
    let address = |raw: &str| match reference::resolve(raw, holder, known) {
        Reference::Page { page, space: None } => of_page(&page),
        Reference::Anchor { anchor, page: Some(page), space: None } => {
            Ok(of_page(&page)?.map(|address| reference::with_anchor(address, &anchor)))
        }
        Reference::File { file } => match FileId::parse(&file) {
            Some(file) => addresses.file(file),
            None => Ok(None),
        },
        _ => Ok(None),
    };
    let failed = RefCell::new(None);
    let room = Cell::new(ADDRESS_BYTES);
    let renew = |raw: &str| {
        if room.get() == 0 {
            return None;
        }
        let address = address(raw).unwrap_or_else(|error| {
            failed.borrow_mut().get_or_insert(error);
            None
        })?;
        room.set(room.get().saturating_sub(address.len()));
        Some(address)
    };
    let written = reference::retarget(text, holder, known, &renew);
    failed.into_inner().map_or(Ok(written), Err)
}

/// The targets that a text referred to when it was stored, and the current content for all others.
/// It remembers its results, because a text is read several times while it is saved, and so must
/// not outlive a change of the content.
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

    /// Of stored references those whose target still exists, else what is there now.
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
