//! Splits text into words and separators so that two texts can be compared.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::document::equality::{ContentEq, digest};
use crate::document::{Inline, InlineKind, Key, Leaf, Marks};
use crate::source::Span;
use crate::subsequence;

/// A piece of a text: a word, the separator between two words, or an inline that is not text.
#[derive(Clone)]
pub(crate) enum Piece<'d> {
    Text { key: Key, text: &'d str, marks: Marks, is_markup: bool },
    Node(Cow<'d, Inline>),
}

impl Piece<'_> {
    /// Returns `true` if both have the same content, ignoring marks.
    pub(crate) fn content_eq(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Text { text, is_markup, .. },
                Self::Text { text: other, is_markup: markup, .. },
            ) => text == other && is_markup == markup,
            (Self::Node(one), Self::Node(other)) => one.kind.content_eq(&other.kind),
            _ => false,
        }
    }

    fn digest(&self) -> u64 {
        match self {
            Self::Text { text, is_markup, .. } => digest(&((*text).to_owned(), *is_markup)),
            Self::Node(node) => digest(&node.kind),
        }
    }

    /// Returns `true` if an equal piece in two texts suggests that they match there. Spaces and
    /// punctuation occur everywhere.
    fn is_distinctive(&self) -> bool {
        match self {
            Self::Text { text, is_markup, .. } => {
                *is_markup || text.chars().any(char::is_alphanumeric)
            }
            Self::Node(_) => true,
        }
    }
}

/// Assigns equal numbers to equal pieces.
#[derive(Default)]
pub(crate) struct PieceNumbers<'p, 'd> {
    seen: HashMap<u64, Vec<(u32, &'p Piece<'d>)>>,
    next: u32,
}

impl<'p, 'd> PieceNumbers<'p, 'd> {
    pub(crate) fn of(&mut self, pieces: &'p [Piece<'d>]) -> Vec<u32> {
        pieces.iter().map(|piece| self.name(piece)).collect()
    }

    fn name(&mut self, piece: &'p Piece<'d>) -> u32 {
        let equal = self.seen.entry(piece.digest()).or_default();
        if let Some(&(name, _)) = equal.iter().find(|(_, other)| other.content_eq(piece)) {
            return name;
        }
        self.next += 1;
        equal.push((self.next, piece));
        self.next
    }
}

/// Returns, for each old piece, the index of the matching new piece.
pub(crate) fn match_pieces(before: &[Piece<'_>], old: &[u32], new: &[u32]) -> Vec<Option<usize>> {
    let mut partners = vec![None; old.len()];
    for (old_index, new_index, len) in subsequence::runs(old, new) {
        let run = before.get(old_index..old_index + len).unwrap_or_default();
        let is_edge = old_index == 0 && new_index == 0
            || old_index + len == old.len() && new_index + len == new.len();
        if is_edge || run.iter().any(Piece::is_distinctive) {
            for offset in 0..len {
                if let Some(partner) = partners.get_mut(old_index + offset) {
                    *partner = Some(new_index + offset);
                }
            }
        }
    }
    partners
}

/// Maximum length in bytes of a text that is split into words. Longer texts are split into
/// stretches of words.
const WORDS_LIMIT: usize = 64 << 10;

/// Splits a list of inlines into pieces.
pub(crate) fn pieces(nodes: &[Inline]) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for node in nodes {
        let InlineKind::Text(leaves) = &node.kind else {
            pieces.push(Piece::Node(Cow::Borrowed(node)));
            continue;
        };
        push_leaves(node.key, leaves, &mut pieces);
    }
    pieces
}

/// Splits leaves into pieces.
pub(crate) fn push_leaves<'d>(key: Key, leaves: &'d [Leaf], pieces: &mut Vec<Piece<'d>>) {
    for leaf in leaves {
        let (marks, is_markup) = (leaf.marks, leaf.is_markup);
        let of = |text| Piece::Text { key, text, marks, is_markup };
        if is_markup {
            pieces.push(of(leaf.text.as_str()));
        } else {
            pieces.extend(units(&leaf.text).into_iter().map(of));
        }
    }
}

/// Splits a text into words, or into stretches of words if it is long.
pub(crate) fn units(text: &str) -> Vec<&str> {
    if text.len() > WORDS_LIMIT { stretches(text).collect() } else { words(text).collect() }
}

/// Splits a text into stretches of words. The bytes of a word determine whether a stretch ends
/// there, so an edit moves only the boundaries beside it.
fn stretches(text: &str) -> impl Iterator<Item = &str> {
    const LENGTHS: std::ops::Range<usize> = 64..512;
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut end = 0;
        for word in words(rest) {
            end += word.len();
            let sum: usize = word.bytes().map(usize::from).sum();
            if end >= LENGTHS.end || end >= LENGTHS.start && sum.is_multiple_of(4) {
                break;
            }
        }
        let (stretch, after) = rest.split_at_checked(end).filter(|_| end > 0)?;
        rest = after;
        Some(stretch)
    })
}

/// Splits a text into words and separators. Each character of a script without spaces is a word.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_alphanumeric() && c < '\u{2E80}' || c == '\u{301}';
        let end = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if first == ' ' {
            rest.find(|c| c != ' ').unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// Joins pieces into inlines.
pub(crate) fn assemble(pieces: Vec<Piece<'_>>) -> Vec<Inline> {
    let mut nodes: Vec<Inline> = Vec::new();
    for piece in pieces {
        let (key, text, marks, is_markup) = match piece {
            Piece::Node(node) => {
                nodes.push(node.into_owned());
                continue;
            }
            Piece::Text { key, text, marks, is_markup } => (key, text, marks, is_markup),
        };
        let leaf = || Leaf { text: text.to_owned(), marks, is_markup };
        match nodes.last_mut().map(|node| &mut node.kind) {
            Some(InlineKind::Text(leaves)) => match leaves.last_mut() {
                Some(last) if last.marks == marks && !last.is_markup && !is_markup => {
                    last.text.push_str(text);
                }
                _ => leaves.push(leaf()),
            },
            _ => {
                let kind = InlineKind::Text(vec![leaf()]);
                nodes.push(Inline { key, span: Span::default(), kind });
            }
        }
    }
    // A difference holds a list for every word that changed.
    for node in &mut nodes {
        if let InlineKind::Text(leaves) = &mut node.kind {
            leaves.shrink_to_fit();
        }
    }
    nodes.shrink_to_fit();
    nodes
}
