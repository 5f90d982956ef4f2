//! Comparison of two documents, block by block and word by word.
//!
//! Blocks are matched by key, by content and by similarity, as in [`merge`](mod@crate::merge).
//! Containers are compared recursively, and tables by row and cell. A block at another position, or
//! in another container, counts as moved. Texts are compared by words. Invisible properties, such
//! as keys and labels of notes, are ignored.
//!
//! The work is bounded by the size of the documents, however much they differ: a text that is too
//! long to be compared word by word is reported as replaced.

mod attributes;
mod json;
mod list;
mod moves;
mod part;
mod plain;
#[cfg(test)]
mod tests;
mod text;

use std::borrow::Cow;

use serde_json::Value;

use crate::document::{Document, Inline};

pub use part::Part;
pub use plain::{changed_value, sanitize_for_terminal, text, value_text};

/// The difference between two documents.
#[derive(Debug, Clone)]
pub struct Difference<'d> {
    /// The old document.
    pub before: &'d Document,
    /// The new document.
    pub after: &'d Document,
    /// The blocks of both documents in reading order. A deleted block precedes its replacement.
    pub entries: Vec<Entry<'d>>,
}

/// The kind of change to a part of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Unchanged.
    Same,
    /// Added to the new document.
    Inserted,
    /// Removed from the old document.
    Deleted,
    /// Changed in its content or its attributes.
    Edited,
    /// Moved here from another position, and possibly edited too.
    Moved,
    /// Moved from here to another position.
    MovedAway,
}

impl Change {
    /// Returns the name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Inserted => "inserted",
            Self::Deleted => "deleted",
            Self::Edited => "edited",
            Self::Moved => "moved",
            Self::MovedAway => "moved-away",
        }
    }
}

/// A part of a document and its change.
#[derive(Debug, Clone)]
pub struct Entry<'d> {
    /// The kind of change.
    pub change: Change,
    /// The old part; `None` if it was inserted.
    pub before: Option<Part<'d>>,
    /// The new part; `None` if it was deleted or moved away.
    pub after: Option<Part<'d>>,
    /// The changed attributes.
    pub attributes: Vec<Attribute>,
    /// The runs of its own text if both sides have a text and they differ. The text of an
    /// unchanged, inserted or deleted part is read from the part: see [`text`](Self::text).
    pub(crate) runs: Vec<Run<'d>>,
    /// The parts within it. Empty for an unchanged part.
    pub parts: Vec<Entry<'d>>,
}

/// A changed attribute. An unspecified value is null.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// The name in the contract.
    pub name: Cow<'static, str>,
    /// The old value.
    pub before: Value,
    /// The new value.
    pub after: Value,
}

/// A run of text and its change.
#[derive(Debug, Clone)]
pub struct Run<'d> {
    /// The kind of change: the same, inserted, deleted or edited.
    pub change: Change,
    /// The old text, unless the run is unchanged or inserted.
    pub before: Vec<Inline>,
    /// The new text, unless the run is deleted.
    pub after: Vec<Inline>,
    /// For an edited run: changed marks of the same words, or a changed target of a link.
    pub attributes: Vec<Attribute>,
    /// The runs of text in an edited link or annotation.
    pub text: Vec<Run<'d>>,
    /// The blocks of an edited note.
    pub parts: Vec<Entry<'d>>,
}

/// The number of blocks with each kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Inserted blocks.
    pub inserted: usize,
    /// Deleted blocks.
    pub deleted: usize,
    /// Edited blocks.
    pub edited: usize,
    /// Moved blocks.
    pub moved: usize,
}

/// Compares two documents.
#[must_use]
pub fn diff<'d>(before: &'d Document, after: &'d Document) -> Difference<'d> {
    let mut comparer = list::Comparer::default();
    let mut entries = comparer.blocks(&before.nodes, &after.nodes);
    moves::find(&mut comparer, &mut entries);
    Difference { before, after, entries }
}

impl Difference<'_> {
    /// Returns `true` if the documents do not differ.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.iter().all(|entry| entry.change == Change::Same)
    }

    /// Counts the changed blocks. A block that was inserted or deleted with its content counts
    /// once. A block counts as edited if its own text or attributes changed, or a part of it that
    /// is not a block.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        count(&self.entries, &mut counts);
        counts
    }
}

fn count(entries: &[Entry<'_>], counts: &mut Counts) {
    for entry in entries {
        let is_block = matches!(entry.before.or(entry.after), Some(Part::Block(_)));
        match entry.change {
            Change::Same | Change::MovedAway => {}
            Change::Inserted if is_block => counts.inserted += 1,
            Change::Deleted if is_block => counts.deleted += 1,
            Change::Inserted | Change::Deleted => count(&entry.parts, counts),
            Change::Moved | Change::Edited => {
                counts.moved += usize::from(entry.change == Change::Moved);
                counts.edited += usize::from(is_block && entry.is_edited_itself());
                count(&entry.parts, counts);
            }
        }
    }
}

impl<'d> Entry<'d> {
    /// Creates an entry for a part with its content, all with the same change.
    fn whole(part: Part<'d>, change: Change) -> Self {
        let parts = part.parts().into_iter().map(|part| Self::whole(part, change)).collect();
        Self { parts, ..Self::of(part, change) }
    }

    /// Creates an entry for a part without its content.
    fn of(part: Part<'d>, change: Change) -> Self {
        let is_before = matches!(change, Change::Same | Change::Deleted | Change::MovedAway);
        let is_after = matches!(change, Change::Same | Change::Inserted);
        Self {
            change,
            before: is_before.then_some(part),
            after: is_after.then_some(part),
            attributes: Vec::new(),
            runs: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Returns the runs of its own text. If the whole text has the same change, the runs are
    /// created on demand, so that a long difference does not hold copies of the documents.
    #[must_use]
    pub fn text(&self) -> Cow<'_, [Run<'d>]> {
        let change = match self.change {
            _ if !self.runs.is_empty() => return Cow::Borrowed(&self.runs),
            Change::Edited | Change::MovedAway => return Cow::Borrowed(&[]),
            Change::Moved => Change::Same,
            Change::Same | Change::Inserted | Change::Deleted => self.change,
        };
        let text = self.part().and_then(|part| part.text());
        Cow::Owned(text.and_then(|text| Run::whole(text, change)).into_iter().collect())
    }

    /// Returns the new part, or the old one if there is none.
    #[must_use]
    pub fn part(&self) -> Option<Part<'d>> {
        self.after.or(self.before)
    }

    /// Returns the entry with its content, even if that is unchanged.
    #[must_use]
    pub fn expanded(&self) -> Cow<'_, Self> {
        // Entries of parts that were inserted or deleted already have their content.
        let is_bare = self.runs.is_empty() && self.parts.is_empty();
        match (self.change, self.part()) {
            (Change::Same, Some(part)) if is_bare => Cow::Owned(Self::whole(part, Change::Same)),
            (Change::Moved, Some(part)) if is_bare && !self.is_edited() => Cow::Owned(Self {
                change: Change::Moved,
                before: self.before,
                ..Self::whole(part, Change::Same)
            }),
            _ => Cow::Borrowed(self),
        }
    }

    /// Returns `true` if the content or the attributes changed.
    #[must_use]
    pub fn is_edited(&self) -> bool {
        let is_different = |change: Change| change != Change::Same;
        !self.attributes.is_empty()
            || self.runs.iter().any(|run| is_different(run.change))
            || self.parts.iter().any(|part| is_different(part.change))
    }

    /// Returns `true` if anything other than the blocks within it changed.
    fn is_edited_itself(&self) -> bool {
        !self.attributes.is_empty()
            || self.text().iter().any(|run| run.change != Change::Same)
            || self.parts.iter().any(|entry| match entry.part() {
                None | Some(Part::Block(_)) => false,
                Some(part) if part.holds_blocks() => {
                    entry.change == Change::Moved || entry.is_edited_itself()
                }
                Some(_) => entry.change != Change::Same,
            })
    }
}
