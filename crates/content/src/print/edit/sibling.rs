//! The kinds of nodes that can be siblings in a document, and their layout in a source.

use super::plan::{CannotEdit, EditResult, Planner};
use super::source::{self, extent, items, marker};
use crate::document::equality::ContentEq;
use crate::document::{Block, BlockKind, ListItem, Node};
use crate::source::Span;

/// A kind of node that can be a sibling in a document.
pub(super) trait Sibling: ContentEq + Sized {
    /// Returns the node's location without surrounding whitespace.
    fn place(this: &Node<Self>, source: &str) -> Span {
        extent(source, this.span, false)
    }
    /// Returns `true` if `next` can follow the node in a list item without a blank line.
    fn can_follow_directly(_this: &Node<Self>, _next: &Node<Self>) -> bool {
        false
    }
    /// Returns the line that would end the node if the source ends before the node does.
    fn missing_end(_this: &Node<Self>, _source: &str) -> Option<String> {
        None
    }
    /// Returns the last character of the list's item marker in the source, or `None` if the node is
    /// not a list.
    fn marker(_this: &Node<Self>, _source: &str) -> Option<char> {
        None
    }
    /// Gives the items of a list a different marker.
    fn change_marker(_this: &Node<Self>, _planner: &mut Planner<'_>) -> EditResult {
        Ok(())
    }
    /// Prints the node. `previous` and `next` are the source texts around it.
    fn print(
        planner: &Planner<'_>,
        node: &Node<Self>,
        previous: Option<&str>,
        next: Option<&str>,
    ) -> String;
}

impl Sibling for BlockKind {
    fn can_follow_directly(this: &Block, next: &Block) -> bool {
        crate::print::block::can_follow_directly(this, next)
    }

    fn place(this: &Block, source: &str) -> Span {
        source::place(source, this)
    }

    fn missing_end(this: &Block, source: &str) -> Option<String> {
        source::missing_fence(Self::place(this, source).of(source))
    }

    fn marker(this: &Block, source: &str) -> Option<char> {
        source::list_marker(source, this)
    }

    fn change_marker(this: &Block, planner: &mut Planner<'_>) -> EditResult {
        let own = Self::marker(this, planner.source).ok_or(CannotEdit)?;
        let other = match own {
            '*' => "-",
            '.' => ")",
            ')' => ".",
            _ => "*",
        };
        for item in items(&this.kind).unwrap_or_default() {
            let place = extent(planner.source, item.span, false);
            let length = marker(place.of(planner.source));
            let end = place.start + length;
            let start = end.checked_sub(1).filter(|_| length > 0).ok_or(CannotEdit)?;
            planner.replace(Span::new(start, end), other.to_owned());
        }
        Ok(())
    }

    fn print(
        planner: &Planner<'_>,
        node: &Block,
        previous: Option<&str>,
        next: Option<&str>,
    ) -> String {
        let mut markers = crate::print::block::MARKERS;
        let begins = |text: Option<&str>, marker: char| {
            text.is_some_and(|text| text.trim_start().starts_with(marker))
        };
        if begins(previous, '*') || begins(next, '*') {
            let is_other = !begins(previous, '-') && !begins(next, '-');
            markers.bullet = if is_other { '-' } else { '+' };
        }
        let is_dotted = |text: Option<&str>| {
            let text = text.unwrap_or_default().trim_start();
            text.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('.')
                && text.starts_with(|c: char| c.is_ascii_digit())
        };
        if is_dotted(previous) || is_dotted(next) {
            markers.number = ')';
        }
        planner.print_with(node, markers)
    }
}

impl Sibling for ListItem {
    fn place(this: &Node<Self>, source: &str) -> Span {
        source::item_place(source, this)
    }

    fn print(_: &Planner<'_>, _: &Node<Self>, _: Option<&str>, _: Option<&str>) -> String {
        String::new()
    }
}

/// Implements [`Sibling`] for nodes that their container prints.
macro_rules! printed_by_container {
    ($($kind:ty),*) => {$(
        impl Sibling for $kind {
            fn print(
                _: &Planner<'_>,
                _: &Node<Self>,
                _: Option<&str>,
                _: Option<&str>,
            ) -> String {
                String::new()
            }
        }
    )*};
}

printed_by_container!(crate::document::Tab, crate::document::Step, crate::document::Column);
