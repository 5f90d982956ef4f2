//! Prints an edit into a source: what the edit did not touch stays, byte for byte.
//!
//! The plan is a list of replacements. After they are made, the result is read again; where it
//! does not say what it should, the blocks in question are printed more coarsely, step by step
//! up to the whole document.

mod leaf;
mod merge;
mod notes;
mod plan;
mod sibling;
mod siblings;
pub(super) mod source;
mod table;
mod window;

use std::collections::HashMap;

use super::normal::normal_but_known;
use super::{PrintContext, block, normal};
use crate::document::same::Content;
use crate::document::{Block, Document, Inline, Visit};
use crate::markdown;
use crate::page::Page;
use crate::pairing::{self, Partner};
use crate::source::Span;

/// How finely a block at the top is edited: the higher, the more of it is printed anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Word by word.
    Words,
    /// Innermost blocks are printed anew.
    Blocks,
    /// Blocks within so many containers are printed anew.
    Within(u8),
}

impl Level {
    fn coarser(self) -> Option<Self> {
        match self {
            Self::Words => Some(Self::Blocks),
            Self::Blocks => Some(Self::Within(2)),
            Self::Within(depth) => depth.checked_sub(1).map(Self::Within),
        }
    }
}

/// A stretch of the source that something else takes the place of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) span: Span,
    pub(super) text: String,
}

/// How blocks that stay are treated beside what comes, goes or moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Manner {
    /// Whether what is new is set apart by blank lines even where the source has none.
    pub(super) is_loose: bool,
    /// Whether what stays before it is printed anew.
    pub(super) left_anew: bool,
    /// Whether what stays after it is printed anew.
    pub(super) right_anew: bool,
}

impl Manner {
    /// From the one that touches least to the one that touches most.
    const ALL: [Self; 5] = [
        Self { is_loose: false, left_anew: false, right_anew: false },
        Self::LOOSE,
        Self { is_loose: true, left_anew: false, right_anew: true },
        Self { is_loose: true, left_anew: true, right_anew: false },
        Self { is_loose: true, left_anew: true, right_anew: true },
    ];
    const LOOSE: Self = Self { is_loose: true, left_anew: false, right_anew: false };
}

/// The source of a page's body with what leads from `before` to `after`.
///
/// `before` is what `source` is read as. What is equal in both is copied; the rest is printed in
/// the canonical style, with as much of the source's own as can be kept. The result is read as
/// `after` in its [normal()] form.
#[must_use]
pub fn print_edited(
    source: &str,
    before: &Document,
    after: &Document,
    context: &PrintContext<'_>,
) -> String {
    edited(source, before, after, context, &|_| true)
}

/// As [`print_edited`]; what is printed must also be `fit`, unless all is printed anew.
fn edited(
    source: &str,
    before: &Document,
    after: &Document,
    context: &PrintContext<'_>,
    is_fit: &dyn Fn(&str) -> bool,
) -> String {
    if std::ptr::eq(before, after) || before.nodes.same(&after.nodes) {
        return source.to_owned();
    }
    let reader = context.reader();
    let planned = normal_but_known(after, before, &reader);
    let after = normal(after, &reader);
    let turns = turns(source, &after);
    let attempt =
        Attempt { source, before, planned: &planned, after: &after, context, is_fit, turns };
    let found = attempt.beside().or_else(|| attempt.coarser()).or_else(|| attempt.windows());
    found.unwrap_or_else(|| whole(source, &after, context))
}

/// What is read again in each way to print an edit costs no more than this, unless once does:
/// far more than any page that people write.
const READ_LIMIT: usize = 1 << 20;

/// How often a document may be read again in each way. A node costs as much as so many bytes.
fn turns(source: &str, document: &Document) -> usize {
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
    (READ_LIMIT / (source.len() + 16 * nodes.0).max(1)).max(1)
}

/// An edit that is tried in several ways.
struct Attempt<'a> {
    source: &'a str,
    before: &'a Document,
    /// What is to be printed, with what `before` has as it has it.
    planned: &'a Document,
    /// What is to be read.
    after: &'a Document,
    context: &'a PrintContext<'a>,
    is_fit: &'a dyn Fn(&str) -> bool,
    /// How often each of the ways may be tried, where the text is large.
    turns: usize,
}

impl Attempt<'_> {
    /// What a text is read as, where that is not what it should be.
    fn misread(&self, printed: &str) -> Option<Document> {
        let reader = self.context.reader();
        let read = normal(&markdown::parse(printed, &reader), &reader);
        let is_right = read.nodes.same(&self.after.nodes) && (self.is_fit)(printed);
        (!is_right).then_some(read)
    }

    fn plan(&self, manner: Manner, level_of: &dyn Fn(usize) -> Level) -> Option<String> {
        let edits =
            plan::plan(self.source, self.before, self.planned, self.context, manner, level_of)?;
        apply(self.source, edits)
    }

    /// Word by word, with ever more care for what stands beside the edit.
    fn beside(&self) -> Option<String> {
        let mut last = None;
        for manner in Manner::ALL.into_iter().take(self.turns) {
            let printed = self.plan(manner, &|_| Level::Words);
            if printed == last {
                continue;
            }
            if let Some(printed) = &printed
                && self.misread(printed).is_none()
            {
                return Some(printed.clone());
            }
            last = printed;
        }
        None
    }

    /// With blocks printed anew that are read otherwise than they should.
    fn coarser(&self) -> Option<String> {
        let mut levels: HashMap<usize, Level> = HashMap::new();
        let mut least = Level::Words;
        let partners = pairing::pair(&self.before.nodes, &self.planned.nodes);
        // Each turn makes at least one block coarser; a few are enough for the worst.
        for _ in 0..self.turns.min(10) {
            let level_of = |at: usize| levels.get(&at).copied().unwrap_or(least).max(least);
            let printed = self.plan(Manner::LOOSE, &level_of)?;
            let Some(read) = self.misread(&printed) else {
                return Some(printed);
            };
            // The blocks between what agrees from the start and from the end.
            let after = &self.after.nodes;
            let agree = read.nodes.iter().zip(after).take_while(|(l, r)| l.same(r)).count();
            let ends = read.nodes.iter().rev().zip(after.iter().rev());
            let end = after.len() - ends.take_while(|(l, r)| l.same(r)).count();
            let mut raised = false;
            for at in agree.saturating_sub(1)..(end + 1).min(after.len()) {
                let is_same = matches!(partners.get(at), Some(Partner::Stays { same: true, .. }));
                let level = levels.entry(at).or_insert(least);
                if let Some(coarser) = level.coarser().filter(|_| !is_same) {
                    *level = coarser;
                    raised = true;
                }
            }
            if !raised {
                least = least.coarser()?;
            }
        }
        None
    }

    /// With everything printed anew from the first block that differs to the last, and ever more
    /// around them.
    fn windows(&self) -> Option<String> {
        const AROUND: [(usize, usize); 8] =
            [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2), (4, 4), (8, 8), (16, 16)];
        AROUND.into_iter().take(self.turns).find_map(|around| {
            let edits = window::plan(self.source, self.before, self.planned, self.context, around)?;
            apply(self.source, edits).filter(|printed| self.misread(printed).is_none())
        })
    }
}

/// The whole document printed anew, with the line ends of the source and as many at its end.
fn whole(source: &str, after: &Document, context: &PrintContext<'_>) -> String {
    let text = block::document(after, context);
    let lead = source.len() - source.trim_start_matches(['\n', '\r']).len();
    let tail = source.trim_end_matches(['\n', '\r']).len();
    let mut printed = source.get(..lead).unwrap_or_default().to_owned();
    printed.push_str(&source::prefixed(text.trim_end_matches('\n'), "", source::line_end(source)));
    printed.push_str(if tail > lead { source.get(tail..).unwrap_or_default() } else { "\n" });
    printed
}

/// The source with all edits made. `None` where two of them overlap.
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
        let (own, behind) = source.split_at_checked(end)?;
        if behind.starts_with('\n') && !own.ends_with('\r') && edit.text.ends_with('\r') {
            // A return that stands alone is not to be one with the line end behind it.
            printed.push('\r');
        }
        done = end;
    }
    printed.push_str(source.get(done..)?);
    Some(printed)
}

/// An edit so that the line before it ends as it did: from where to where what takes the place of
/// the source, where lines end in different ways. `next` is where the next edit begins.
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
    let behind = source.get(end..).and_then(line_end).filter(|_| edit.text.is_empty());
    match behind {
        Some(behind) if start < end && end + behind.len() <= next => {
            (start + own.len(), as_it_is.1, end + behind.len())
        }
        _ => as_it_is,
    }
}

/// The source of a page, front matter and title included, with what leads from `before` to
/// `after`: [`print_edited`] for its body, which stays the body.
#[must_use]
pub fn print_page_edited(
    source: &str,
    before: &Document,
    after: &Document,
    context: &PrintContext<'_>,
) -> String {
    let page = Page::split(source);
    let head = source.get(..page.body.start).unwrap_or_default();
    let body = page.body.of(source);
    // A first block must not be taken for a title or for front matter.
    let stays_body = |printed: &str| {
        let again = Page::split(&join(head, body, printed));
        again.title == page.title
            && again.front_matter == page.front_matter
            && again.body.start >= head.len()
    };
    join(head, body, &edited(body, before, after, context, &stays_body))
}

/// The source of a page whose body is printed in the canonical style; its front matter and its
/// title are as they were.
#[must_use]
pub fn print_page(source: &str, document: &Document, context: &PrintContext<'_>) -> String {
    let page = Page::split(source);
    let head = source.get(..page.body.start).unwrap_or_default();
    join(head, "", &super::print(document, context))
}

/// Head and body, a blank line between them where the body was empty before.
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
