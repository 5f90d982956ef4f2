//! Prints an edit into a source: what the edit did not touch stays, byte for byte.
//!
//! The plan is a list of replacements. After they are made, the result is read again; where it
//! does not say what it should, the blocks in question are printed more coarsely, step by step
//! up to the whole document.

mod leaf;
mod merge;
mod notes;
mod plan;
mod siblings;
mod source;
mod table;

use std::collections::HashMap;

use super::normal::normal_but_known;
use super::{PrintContext, block, normal};
use crate::document::Document;
use crate::document::same::Content;
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
    if std::ptr::eq(before, after) || before.nodes.same(&after.nodes) {
        return source.to_owned();
    }
    let reader = context.reader();
    let planned_after = normal_but_known(after, before, &reader);
    let after = normal(after, &reader);
    let mut levels: HashMap<usize, Level> = HashMap::new();
    let mut least = Level::Words;
    // Each turn makes at least one block coarser; a few are enough for the worst.
    for _ in 0..10 {
        let planned = plan::plan(source, before, &planned_after, context, &|at| {
            levels.get(&at).copied().unwrap_or(least).max(least)
        });
        let printed = match planned {
            Some(edits) => match apply(source, edits) {
                Some(printed) => printed,
                None => break,
            },
            None => break,
        };
        let read = normal(&markdown::parse(&printed, &reader), &reader);
        if read.nodes.same(&after.nodes) {
            return printed;
        }
        // The blocks between what agrees from the start and from the end.
        let agree = read.nodes.iter().zip(&after.nodes).take_while(|(l, r)| l.same(r)).count();
        let ends = read.nodes.iter().rev().zip(after.nodes.iter().rev());
        let end = after.nodes.len() - ends.take_while(|(l, r)| l.same(r)).count();
        let partners = pairing::pair(&before.nodes, &planned_after.nodes);
        let mut raised = false;
        for at in agree.saturating_sub(1)..(end + 1).min(after.nodes.len()) {
            let is_same = matches!(partners.get(at), Some(Partner::Stays { same: true, .. }));
            let level = levels.entry(at).or_insert(least);
            if let Some(coarser) = level.coarser().filter(|_| !is_same) {
                *level = coarser;
                raised = true;
            }
        }
        if !raised {
            match least.coarser() {
                Some(coarser) => least = coarser,
                None => break,
            }
        }
    }
    whole(source, &after, context)
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
    for edit in &edits {
        printed.push_str(source.get(done..edit.span.start)?);
        printed.push_str(&edit.text);
        done = edit.span.end;
    }
    printed.push_str(source.get(done..)?);
    Some(printed)
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
    let printed = print_edited(body, before, after, context);
    let joined = join(head, body, &printed);
    let again = Page::split(&joined);
    let is_kept = again.title == page.title
        && again.front_matter == page.front_matter
        && again.body.start >= head.len();
    if is_kept {
        return joined;
    }
    // A first block that would be taken for a title or for front matter is printed as what it is.
    join(head, body, &whole(body, &normal(after, &context.reader()), context))
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
