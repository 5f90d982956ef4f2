//! Prints an edit into a source and preserves the bytes of everything that the edit did not change.
//!
//! For example, the source on the left spells its Markdown differently from the canonical style.
//! The edit replaces `two` with `2` and adds a list item. The result on the right keeps the
//! underlines, the line break, the `-` markers and the double blank line:
//!
//! ```text
//! source                       result
//!
//! __One__                      __One__
//! and two.                     and 2.
//!
//!
//! - a                          - a
//! - b                          - b
//!                              - c
//! ```
//!
//! The canonical style would have printed `**One** and 2.` and the markers `*`.
//!
//! The planner compares the documents before and after the edit and returns a list of [`Edit`]s:
//! spans of the source and their replacements. For the example, these are the paragraph's span with
//! `__One__\nand 2.` and an empty span after `- b` with `\n- c`. The result is then parsed and
//! compared with the document after the edit, because new text can change how its neighbors are
//! parsed: a paragraph directly before another one continues it. If the comparison fails,
//! [`EditPrinter`] tries coarser ways, in this order:
//!
//! 1. Word by word, with each [`NeighborPolicy`]: add blank lines around inserted blocks, then also
//!    reprint the unchanged blocks next to them.
//! 2. Block by block: edit the blocks that parse differently at a coarser [`Level`], at first with
//!    more escaping of the changed words, then by reprinting them.
//! 3. Windows: reprint all blocks between the first and the last difference.
//! 4. The whole document in the canonical style.

mod code;
mod leaf;
mod merge;
mod notes;
mod plan;
mod sibling;
mod siblings;
pub(super) mod source;
mod table;
mod token;
mod whitespace;
mod window;

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use super::inline::Escaping;
use super::normal::{Stable, normal_except_known, normal_with};
use super::{PrintContext, block};
use crate::document::equality::ContentEq;
use crate::document::{Block, Document, Identity, Inline, Visit};
use crate::markdown;
use crate::page::Page;
use crate::pairing::{self, Partner};
use crate::source::Span;

/// The unit in which a top-level block is edited. A higher level reprints more of the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Edits words, and prints the texts before and after the edit with the same escaping.
    Words(Escaping),
    /// Edits words, and prints both texts with the least escaping with which they parse correctly.
    CheckedWords,
    /// Reprints the innermost blocks that changed.
    Blocks,
    /// Descends into at most this many containers and reprints the blocks within.
    Within(u8),
}

impl Level {
    const FINEST: Self = Self::Words(Escaping::Plain);

    /// Returns `true` if words are edited within blocks that hold no blocks.
    fn edits_words(self) -> bool {
        matches!(self, Self::Words(_) | Self::CheckedWords)
    }

    /// Returns the escaping of new texts.
    fn escaping(self) -> Escaping {
        match self {
            Self::Words(escaping) => escaping,
            _ => Escaping::Plain,
        }
    }

    fn coarser(self) -> Option<Self> {
        match self {
            Self::Words(Escaping::Plain) => Some(Self::Words(Escaping::Full)),
            Self::Words(Escaping::Literal) => Some(Self::CheckedWords),
            Self::Words(_) => Some(Self::Words(Escaping::Literal)),
            Self::CheckedWords => Some(Self::Blocks),
            Self::Blocks => Some(Self::Within(2)),
            Self::Within(depth) => depth.checked_sub(1).map(Self::Within),
        }
    }
}

/// A replacement of a part of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) span: Span,
    pub(super) text: String,
}

/// The treatment of unchanged blocks next to blocks that are inserted, removed or moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NeighborPolicy {
    /// `true` if inserted blocks are separated by blank lines, even where the source has none.
    pub(super) adds_blank_lines: bool,
    /// `true` if blank lines also end HTML directly before an edited block, and separate a block
    /// at the end of a container from the line after the container.
    pub(super) separates_containers: bool,
    /// `true` if the unchanged block before the gap is reprinted.
    pub(super) reprints_previous: bool,
    /// `true` if the unchanged block after the gap is reprinted.
    pub(super) reprints_next: bool,
}

impl NeighborPolicy {
    /// All policies, from the least to the most invasive.
    const ALL: [Self; 6] = [
        Self { adds_blank_lines: false, ..Self::BLANK_LINES },
        Self::BLANK_LINES,
        Self { separates_containers: true, ..Self::BLANK_LINES },
        Self { reprints_next: true, ..Self::BLANK_LINES },
        Self { reprints_previous: true, ..Self::BLANK_LINES },
        Self { reprints_previous: true, reprints_next: true, ..Self::BLANK_LINES },
    ];
    const BLANK_LINES: Self = Self {
        adds_blank_lines: true,
        separates_containers: false,
        reprints_previous: false,
        reprints_next: false,
    };
}

/// Prints the edit from `before` to `after` into `source`, the body of a page.
///
/// `before` must be the document that `source` parses to. Blocks that are equal in both documents
/// are copied from the source. The rest is printed in the canonical style, as far as possible with
/// the source's own spelling. The result parses to the [normal](super::normal()) form of `after`.
///
/// For example, if `source` is `__a__ b` and the edit replaces `b` with `c`, the result is
/// `__a__ c`, although the canonical style writes `**a** c`.
#[must_use]
pub fn print_edited(
    source: &str,
    before: &Document,
    after: &Document,
    context: &PrintContext<'_>,
) -> String {
    edited(source, before, after, context, (source, &|_| true))
}

/// Does what [`print_edited`] does. New lines take the line ending of `line_end_source` where their
/// surroundings have none. Every result except a fully reprinted document must also satisfy
/// `is_fit`.
fn edited(
    source: &str,
    before: &Document,
    after: &Document,
    context: &PrintContext<'_>,
    (line_end_source, is_fit): (&str, &dyn Fn(&str) -> bool),
) -> String {
    if std::ptr::eq(before, after) || before.nodes.content_eq(&after.nodes) {
        return source.to_owned();
    }
    let line_end = source::line_end(line_end_source);
    let reader = context.reader();
    let stable = Stable::default();
    let planned = normal_except_known(after, before, &reader, &stable);
    let after = normal_with(after, &reader, &stable);
    let attempts_left = Cell::new(max_attempts(source, &after));
    let printer = EditPrinter {
        source,
        before,
        planned: &planned,
        after: &after,
        context,
        line_end,
        is_fit,
        stable: &stable,
        attempts_left,
    };
    let found = match printer.by_words() {
        Ok(printed) => Some(printed),
        Err(finest) => printer.by_levels(finest).or_else(|| printer.by_windows()),
    };
    found.unwrap_or_else(|| reprint_all(source, &after, context, (line_end, &stable)))
}

/// Maximum cost of parsing the results of all ways to print an edit, in bytes. Far more than any
/// page that people write needs. The first attempt of each way is always made.
const PARSE_BUDGET: usize = 1 << 20;

/// Returns the maximum number of attempts to print an edit. A node costs as much as 16 bytes of
/// source.
fn max_attempts(source: &str, document: &Document) -> usize {
    struct Nodes(usize);
    impl<'d> Visit<'d> for Nodes {
        fn block(&mut self, _: &'d Block) {
            self.0 += 1;
        }
        fn inline(&mut self, _: &'d Inline) {
            self.0 += 1;
        }
    }
    let mut nodes = Nodes(0);
    document.walk(&mut nodes);
    (PARSE_BUDGET / (source.len() + 16 * nodes.0).max(1)).max(1)
}

/// Tries several ways to print an edit until one parses correctly.
struct EditPrinter<'a> {
    source: &'a str,
    before: &'a Document,
    /// The document to print: `after` in its normal form, except for blocks that `before` contains
    /// in another form.
    planned: &'a Document,
    /// The document that the result must parse to.
    after: &'a Document,
    context: &'a PrintContext<'a>,
    /// The line ending of new lines where the source has none.
    line_end: &'static str,
    is_fit: &'a dyn Fn(&str) -> bool,
    stable: &'a Stable,
    /// Number of attempts that may still be made. Each way makes at least one.
    attempts_left: Cell<usize>,
}

impl EditPrinter<'_> {
    /// Returns the document that `printed` parses to if that is not the expected one.
    fn mismatch(&self, printed: &str) -> Option<Document> {
        let reader = self.context.reader();
        let read = normal_with(&markdown::parse(printed, &reader), &reader, self.stable);
        let is_right = read.nodes.content_eq(&self.after.nodes) && (self.is_fit)(printed);
        (!is_right).then_some(read)
    }

    /// Counts an attempt. Returns `false` if too many were made, unless it is the first one of its
    /// way.
    fn may_try(&self, is_first: bool) -> bool {
        let left = self.attempts_left.get();
        self.attempts_left.set(left.saturating_sub(1));
        is_first || left > 0
    }

    fn plan(&self, neighbors: NeighborPolicy, level_of: &dyn Fn(usize) -> Level) -> Option<String> {
        let &Self { source, before, planned, context, line_end, .. } = self;
        let edits = plan::plan(source, before, planned, context, neighbors, line_end, level_of)?;
        apply(source, edits)
    }

    /// Edits word by word, with increasingly invasive treatment of neighbors. If no result is right,
    /// returns the document that the one with blank lines parses to.
    fn by_words(&self) -> Result<String, Option<Rc<Document>>> {
        let mut last: Option<(String, Rc<Document>)> = None;
        let mut of_blank_lines = None;
        // A result that is the one before costs no parsing, but the plan for it has its price too.
        for neighbors in NeighborPolicy::ALL.into_iter().take(self.attempts_left.get()) {
            let Some(printed) = self.plan(neighbors, &|_| Level::FINEST) else { continue };
            if last.as_ref().is_none_or(|(text, _)| *text != printed) {
                if !self.may_try(last.is_none()) {
                    break;
                }
                let Some(read) = self.mismatch(&printed) else { return Ok(printed) };
                last = Some((printed, Rc::new(read)));
            }
            if neighbors == NeighborPolicy::BLANK_LINES {
                of_blank_lines = last.as_ref().map(|(_, read)| Rc::clone(read));
            }
        }
        Err(of_blank_lines)
    }

    /// Edits at increasingly coarse levels, which are raised for the blocks that parse differently.
    /// `finest` is the document that the result at the finest level parses to, if that is known.
    fn by_levels(&self, mut finest: Option<Rc<Document>>) -> Option<String> {
        let mut levels: HashMap<usize, Level> = HashMap::new();
        let mut minimum = Level::FINEST;
        let partners = pairing::pair(&self.before.nodes, &self.planned.nodes);
        let mut is_first = true;
        // Each attempt makes at least one block coarser; a few attempts suffice.
        for _ in 0..10 {
            let read = match finest.take() {
                Some(read) => read,
                None if !self.may_try(is_first) => break,
                None => {
                    is_first = false;
                    let level_of =
                        |at: usize| levels.get(&at).copied().unwrap_or(minimum).max(minimum);
                    let printed = self.plan(NeighborPolicy::BLANK_LINES, &level_of)?;
                    let Some(read) = self.mismatch(&printed) else { return Some(printed) };
                    Rc::new(read)
                }
            };
            // The blocks between the common start and the common end.
            let after = &self.after.nodes;
            let agree = read.nodes.iter().zip(after).take_while(|(l, r)| l.content_eq(r)).count();
            let ends = read.nodes.iter().rev().zip(after.iter().rev());
            let end = after.len() - ends.take_while(|(l, r)| l.content_eq(r)).count();
            let mut raised = false;
            for at in agree.saturating_sub(1)..(end + 1).min(after.len()) {
                let is_same = matches!(partners.get(at), Some(Partner::Stays { same: true, .. }));
                let level = levels.entry(at).or_insert(minimum);
                if let Some(coarser) = level.coarser().filter(|_| !is_same) {
                    *level = coarser;
                    raised = true;
                }
            }
            if !raised {
                minimum = minimum.coarser()?;
            }
        }
        None
    }

    /// Reprints everything between the first and the last block that differ, with increasingly many
    /// blocks around them.
    fn by_windows(&self) -> Option<String> {
        const WINDOWS: [(usize, usize); 8] =
            [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2), (4, 4), (8, 8), (16, 16)];
        let tried = WINDOWS.into_iter().enumerate().take_while(|(at, _)| self.may_try(*at == 0));
        tried.map(|(_, margin)| margin).find_map(|margin| {
            let &Self { source, before, planned, context, line_end, .. } = self;
            let edits = window::plan(source, before, planned, context, (margin, line_end))?;
            apply(source, edits).filter(|printed| self.mismatch(printed).is_none())
        })
    }
}

/// Prints the whole document, with the line endings of the source and the same blank lines at its
/// ends.
fn reprint_all(
    source: &str,
    after: &Document,
    context: &PrintContext<'_>,
    (line_end, stable): (&str, &Stable),
) -> String {
    let text = block::document(after, context, stable);
    let lead = source.len() - source.trim_start_matches(['\n', '\r']).len();
    let tail = source.trim_end_matches(['\n', '\r']).len();
    let mut printed = source.get(..lead).unwrap_or_default().to_owned();
    printed.push_str(&source::prefixed(text.trim_end_matches('\n'), "", line_end));
    printed.push_str(if tail > lead { source.get(tail..).unwrap_or_default() } else { "\n" });
    printed
}

/// Applies the edits to the source. Returns `None` if two edits overlap.
fn apply(source: &str, mut edits: Vec<Edit>) -> Option<String> {
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let added: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let mut printed = String::with_capacity(source.len() + added);
    let mut done = 0;
    for (index, edit) in edits.iter().enumerate() {
        let next = edits.get(index + 1).map_or(source.len(), |next| next.span.start);
        let (start, text, end) = with_line_end(source, edit, next);
        printed.push_str(source.get(done..start)?);
        printed.push_str(text.0);
        printed.push_str(text.1);
        let (own, following) = source.split_at_checked(end)?;
        if following.starts_with('\n') && !own.ends_with('\r') && edit.text.ends_with('\r') {
            // A lone carriage return must not combine with the line feed after it.
            printed.push('\r');
        }
        done = end;
    }
    printed.push_str(source.get(done..)?);
    Some(printed)
}

/// Adjusts an edit so that the line before it keeps its line ending in a source with mixed line
/// endings. Returns the start of the replaced span, the text in two parts, and the end of the span.
/// `next` is the offset at which the next edit begins.
fn with_line_end<'e>(
    source: &'e str,
    edit: &'e Edit,
    next: usize,
) -> (usize, (&'e str, &'e str), usize) {
    let line_end = |text: &'e str| match text.as_bytes() {
        [b'\r', b'\n', ..] => text.get(..2),
        [b'\n', ..] => text.get(..1),
        _ => None,
    };
    let Span { start, end } = edit.span;
    let as_it_is = (start, (edit.text.as_str(), ""), end);
    let Some(own) = source.get(start..).and_then(line_end) else {
        return as_it_is;
    };
    if let Some(new) = line_end(&edit.text) {
        return (start, (own, edit.text.get(new.len()..).unwrap_or_default()), end);
    }
    let following = source.get(end..).and_then(line_end).filter(|_| edit.text.is_empty());
    match following {
        Some(following) if start < end && end + following.len() <= next => {
            (start + own.len(), as_it_is.1, end + following.len())
        }
        _ => as_it_is,
    }
}

/// Prints an edit into the source of a page, including its front matter and title. Edits the body
/// like [`print_edited`] and keeps it the body.
#[must_use]
pub fn print_page_edited(
    source: &str,
    before: &Document,
    after: &Document,
    context: &PrintContext<'_>,
) -> String {
    print_page_edited_as(source, &Identity::default(), before, after, context)
}

/// Does what [`print_page_edited`] does for a page with this identity, whose body can include the
/// first heading.
#[must_use]
pub fn print_page_edited_as(
    source: &str,
    identity: &Identity,
    before: &Document,
    after: &Document,
    context: &PrintContext<'_>,
) -> String {
    let page = Page::split_as(source, identity);
    let head = source.get(..page.body.start).unwrap_or_default();
    let body = page.body.of(source);
    // The first block must not be parsed as a title or as front matter.
    let stays_body = |printed: &str| {
        let again = Page::split_as(&join(head, body, printed), identity);
        again.title == page.title
            && again.front_matter == page.front_matter
            && again.body.start >= head.len()
    };
    // A body of one line takes the line ending of the front matter or title.
    let line_end_source = if body.contains('\n') { body } else { head };
    join(head, body, &edited(body, before, after, context, (line_end_source, &stays_body)))
}

/// Prints a page's body in the canonical style. Keeps the front matter and the title.
#[must_use]
pub fn print_page(source: &str, document: &Document, context: &PrintContext<'_>) -> String {
    let page = Page::split(source);
    let head = source.get(..page.body.start).unwrap_or_default();
    join(head, "", &super::print(document, context))
}

/// Joins head and body, with a blank line between them if the body was empty before.
fn join(head: &str, before: &str, body: &str) -> String {
    let mut joined = head.to_owned();
    let has_text = !head.trim_start_matches('\u{FEFF}').is_empty();
    if has_text && before.trim().is_empty() && !body.trim().is_empty() {
        let end = source::line_end(head);
        while !joined.ends_with("\n\n") && !joined.ends_with("\n\r\n") && !body.starts_with(end) {
            joined.push_str(end);
        }
    }
    joined.push_str(body);
    joined
}

#[cfg(test)]
mod cost_tests;
