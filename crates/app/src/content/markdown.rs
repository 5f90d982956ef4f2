//! Pages as Markdown for readers and programs, with the addresses of their links.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use bindery_content::evaluation::{evaluate_source_with, include};
use bindery_content::html::Links;
use bindery_content::reference::{self, ContentRef, ParseContext};
use bindery_content::shown::{self, Shown};
use bindery_content::{Identity, Page, markdown, rebase};
use bindery_expression::{Evaluator, VisitorExpressions};
use bindery_model::{FileId, PageId, Result, ReusableContentId};
use bindery_revision::{Content, Hash, Objects, PageRecord};

use crate::App;
use crate::content::documents::{Evaluation, Known, Parsed, parse_start};
use crate::content::expressions;
use crate::content::snapshot::{self, broken_object};
use crate::content::texts;

/// Maximum size in bytes of a text whose expressions are evaluated. The rest is left out, because
/// its conditions are not evaluated and could hide parts of it.
const EVALUATED_BYTES: usize = 4 << 20;
/// Maximum total size in bytes of the addresses that are written into one page. Further links stay
/// unchanged.
const ADDRESS_BYTES: usize = 8 << 20;
/// Maximum depth to which reusable contents within reusable contents are written, as in HTML.
const INCLUDE_DEPTH: usize = 4;
/// Maximum number of reusable contents written into a page, as in HTML.
const INCLUDE_LIMIT: usize = 500;
/// Maximum total size in bytes of the reusable contents that are written into a page.
const INCLUDED_BYTES: usize = 8 << 20;
/// The notice in place of text that was left out.
const CUT: &str = "\n\n---\n\nThis page is too large to be shown in full.\n";

/// Decides how the Markdown of a page is written for its reader, who does not know the paths of
/// imported files.
pub trait Reader {
    /// Returns the address of a page; `None` leaves the link unchanged.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    fn page(&self, page: PageId) -> Result<Option<String>> {
        let _ = page;
        Ok(None)
    }

    /// Returns the address of a file; `None` leaves the link unchanged.
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    fn file(&self, file: FileId) -> Result<Option<String>> {
        let _ = file;
        Ok(None)
    }

    /// Returns the links of the page if it is written as its reader sees it: with its description,
    /// with the texts of reusable contents in place of the tags that include them, with the
    /// addresses and names of the page's links, and with the words of links without a target in
    /// place of the links. `page` and `file` are not called then.
    fn seen(&self) -> Option<SeenPage<'_>> {
        None
    }

    /// Returns `true` if a reusable content with a source of this size may be read.
    fn may_read(&self, bytes: usize) -> bool {
        let _ = bytes;
        true
    }
}

/// A page as its reader sees it.
#[derive(Clone, Copy)]
pub struct SeenPage<'a> {
    /// Resolves the page's references. Addresses begin with their scheme.
    pub links: &'a dyn Links,
    /// The address of the page.
    pub address: &'a str,
}

impl std::fmt::Debug for SeenPage<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SeenPage").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Selects the expressions that are evaluated, and the visitor for whom they are.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationFor<'a> {
    /// The expressions that are evaluated.
    pub evaluated: Evaluation,
    /// The visitor; `None` for one about whom nothing is known.
    pub visitor: Option<&'a dyn VisitorExpressions>,
}

/// Returns a page as Markdown: its title and its body, without front matter, and with its
/// description if `reader` reads it in full. Links to pages and files of the space get the addresses
/// that `reader` returns.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn of_page(
    app: &App,
    objects: &dyn Objects,
    content: &Content,
    record: &PageRecord,
    evaluated: EvaluationFor<'_>,
    reader: &dyn Reader,
) -> Result<String> {
    let description = record.description.as_deref().filter(|_| reader.seen().is_some());
    let Some(body) = &record.body else {
        return Ok(markdown::print(&record.title, description, ""));
    };
    let EvaluationFor { evaluated, visitor } = evaluated;
    let context = expressions::context(&content.variables, &record.variables);
    let mut evaluator = Evaluator::new(&context);
    if let Some(visitor) = visitor {
        evaluator = evaluator.with_visitor(visitor);
    }
    let writer = Writer {
        app,
        objects,
        content,
        evaluated,
        evaluator,
        reader,
        address_room: Cell::new(ADDRESS_BYTES),
        include_room: Cell::new(INCLUDED_BYTES),
        included: Cell::new(0),
        is_cut: Cell::new(false),
        read: RefCell::default(),
    };
    let mut text = writer.text(body, 0)?;
    if writer.is_cut.get() {
        text.push_str(CUT);
    }
    // Imported text may contain U+0000, which responses must not contain. Markdown parsers read it
    // as the replacement character.
    let text = if text.contains('\0') { text.replace('\0', "\u{FFFD}") } else { text };
    Ok(markdown::print(&record.title, description, &text))
}

/// Writes the text of a page and of what it includes.
struct Writer<'a> {
    app: &'a App,
    objects: &'a dyn Objects,
    content: &'a Content,
    evaluated: Evaluation,
    evaluator: Evaluator<'a>,
    reader: &'a dyn Reader,
    /// The bytes that further addresses may have.
    address_room: Cell<usize>,
    /// The bytes that further reusable contents may have.
    include_room: Cell<usize>,
    /// The number of reusable contents that were written.
    included: Cell<usize>,
    /// `true` if a part of the page was left out.
    is_cut: Cell<bool>,
    /// The texts of reusable contents that include nothing and were written before.
    read: RefCell<HashMap<ReusableContentId, String>>,
}

impl Writer<'_> {
    /// Returns a stored text as the reader sees it. `depth` is the number of texts around it.
    fn text(&self, body: &Hash, depth: usize) -> Result<String> {
        let stored = snapshot::body(self.app, self.objects, body)?;
        let holder = texts::path_of(&stored);
        let known = Known::new(&stored, Some((self.content, self.objects)));
        let text = if self.evaluated == Evaluation::No {
            let source = snapshot::source(&stored);
            let identity = Identity::decode(&stored.identity);
            Page::split_as(&source, &identity).body.of(&source).to_owned()
        } else {
            let Parsed { body, document, is_cut } =
                parse_start(self.app, self.objects, Some(self.content), body, EVALUATED_BYTES)?;
            if is_cut {
                self.is_cut.set(true);
            }
            evaluate_source_with(&body, &document, &self.evaluator, self.evaluated.mode())
        };
        let context = ParseContext { path: holder, lookup: &known };
        let Some(SeenPage { links, address }) = self.reader.seen() else {
            return Ok(self.with_addresses(&text, holder, &known)?.unwrap_or(text));
        };
        let room = &self.address_room;
        let shown = Shown { links, address, is_included: depth > 0, room };
        let text = shown::write(&text, &context, &shown).unwrap_or(text);
        if !text.contains("{%") {
            return Ok(text);
        }
        // Conditions are evaluated in each text by itself, before one contains the other, so that a
        // text cannot end a condition of another.
        let document = markdown::parse(&text, &context);
        let mut failed = None;
        let with_texts = include(&text, &document, &mut |target| {
            self.included(target, depth).unwrap_or_else(|error| {
                failed.get_or_insert(error);
                String::new()
            })
        });
        failed.map_or(Ok(with_texts), Err)
    }

    /// Returns the text of a reusable content, which is empty if the reader cannot see it.
    fn included(&self, target: &ContentRef, depth: usize) -> Result<String> {
        let ContentRef::ReusableContent { reusable_content, space: None } = target else {
            return Ok(String::new());
        };
        let Some(id) = ReusableContentId::parse(reusable_content) else { return Ok(String::new()) };
        if depth >= INCLUDE_DEPTH {
            return Ok(String::new());
        }
        if self.included.get() >= INCLUDE_LIMIT {
            self.is_cut.set(true);
            return Ok(String::new());
        }
        self.included.set(self.included.get() + 1);
        let known = self.read.borrow().get(&id).cloned();
        let text = match known {
            Some(text) => text,
            None => {
                let Some(text) = self.read_included(id, depth)? else { return Ok(String::new()) };
                text
            }
        };
        let room = self.include_room.get().checked_sub(text.len());
        self.include_room.set(room.unwrap_or(0));
        if room.is_none() || !self.reader.may_read(text.len()) {
            self.is_cut.set(true);
            return Ok(String::new());
        }
        Ok(text)
    }

    /// Reads a reusable content; `None` if there is none.
    fn read_included(&self, id: ReusableContentId, depth: usize) -> Result<Option<String>> {
        let record = self.content.reusable(self.objects, id).map_err(broken_object)?;
        let Some(body) = record.and_then(|record| record.body) else { return Ok(None) };
        let size = snapshot::body(self.app, self.objects, &body)?.source.len();
        if size > self.include_room.get() || !self.reader.may_read(size) {
            self.is_cut.set(true);
            return Ok(None);
        }
        let included = self.included.get();
        let text = self.text(&body, depth + 1)?;
        if self.included.get() == included {
            self.read.borrow_mut().insert(id, text.clone());
        }
        Ok(Some(text))
    }

    /// Returns a text in which the addresses for the reader replace the targets of links; `None` if
    /// it stays unchanged.
    fn with_addresses(
        &self,
        text: &str,
        holder: &str,
        known: &Known<'_>,
    ) -> Result<Option<String>> {
        let of_page = |page: &str| match PageId::parse(page) {
            Some(page) => self.reader.page(page),
            None => Ok(None),
        };
        let address = |raw: &str| match reference::resolve(raw, holder, known) {
            ContentRef::Page { page, space: None } => of_page(&page),
            ContentRef::Anchor { anchor, page: Some(page), space: None } => {
                Ok(of_page(&page)?.map(|address| reference::with_anchor(address, &anchor)))
            }
            ContentRef::File { file } => match FileId::parse(&file) {
                Some(file) => self.reader.file(file),
                None => Ok(None),
            },
            _ => Ok(None),
        };
        let failed = RefCell::new(None);
        let room = &self.address_room;
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
        let written = rebase::retarget(text, holder, known, &renew);
        failed.into_inner().map_or(Ok(written), Err)
    }
}
