//! What differs between two documents, block by block and word by word.
//!
//! Blocks are those of the document before by key, by content, by likeness, as in
//! [`merge`](mod@crate::merge). What holds blocks is looked into; of tables, rows and cells. A
//! block that stands in another place, also in another container, moved. Of texts the words are
//! compared. What nobody sees, such as keys and labels of notes, is no difference.
//!
//! The work grows with the size of the documents, however they differ: what is too long to be
//! compared word by word is told as replaced.

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
pub use plain::{changed_value, harmless, text, value_text};

/// What differs between two documents.
#[derive(Debug, Clone)]
pub struct Difference<'d> {
    /// The document before.
    pub before: &'d Document,
    /// The document after.
    pub after: &'d Document,
    /// The blocks of both in the order in which they are read: what is not there any more stands
    /// before what came in its place.
    pub entries: Vec<Entry<'d>>,
}

/// What happened to a part of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    Same,
    /// It came.
    Inserted,
    /// It went.
    Deleted,
    /// Something in it or about it is different.
    Edited,
    /// It stood elsewhere. It may be different too.
    Moved,
    /// It stood here, and stands elsewhere now.
    MovedAway,
}

impl Change {
    /// Its name in JSON.
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

/// A part of a document, and what happened to it.
#[derive(Debug, Clone)]
pub struct Entry<'d> {
    /// What happened.
    pub change: Change,
    /// The part before; absent where it came.
    pub before: Option<Part<'d>>,
    /// The part after; absent where it went, or moved away from here.
    pub after: Option<Part<'d>>,
    /// What is different about it.
    pub attributes: Vec<Attribute>,
    /// The runs of its own text where both sides have it and differ. The text of a part that is
    /// the same, came or went is read from the part: [`text`](Self::text).
    pub(crate) runs: Vec<Run<'d>>,
    /// What it holds. Empty for what is the same: nothing in it is different.
    pub parts: Vec<Entry<'d>>,
}

/// Something about a part that is different. What is not said is null.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// Its name in the contract.
    pub name: Cow<'static, str>,
    /// As it was.
    pub before: Value,
    /// As it is.
    pub after: Value,
}

/// A run of a text, and what happened to it.
#[derive(Debug, Clone)]
pub struct Run<'d> {
    /// What happened: the same, inserted, deleted or edited.
    pub change: Change,
    /// The run before, where it is not the same or inserted.
    pub before: Vec<Inline>,
    /// The run after, where it is not deleted.
    pub after: Vec<Inline>,
    /// Of an edited one: marks of words that are the same, or where a link leads.
    pub attributes: Vec<Attribute>,
    /// The words in an edited link or within a note's mark.
    pub text: Vec<Run<'d>>,
    /// The blocks of an edited note.
    pub parts: Vec<Entry<'d>>,
}

/// How often what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Blocks that came.
    pub inserted: usize,
    /// Blocks that went.
    pub deleted: usize,
    /// Blocks that are different in themselves.
    pub edited: usize,
    /// Blocks that stand elsewhere.
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
    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.iter().all(|entry| entry.change == Change::Same)
    }

    /// How many blocks came, went, are different, moved. What came or went as a whole counts
    /// once; a block counts as different if its own text or attributes are, or a part of it that
    /// is no block.
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
    /// A part with all that it holds, of which one thing happened to everything.
    fn whole(part: Part<'d>, change: Change) -> Self {
        let parts = part.parts().into_iter().map(|part| Self::whole(part, change)).collect();
        Self { parts, ..Self::of(part, change) }
    }

    /// A part without what it holds.
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

    /// The runs of its own text. They are made when they are asked for where one thing happened
    /// to all of the text, so that a long difference holds no copy of the documents.
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

    /// The part, as it is now if it is there.
    #[must_use]
    pub fn part(&self) -> Option<Part<'d>> {
        self.after.or(self.before)
    }

    /// What it holds, also where that is the same.
    #[must_use]
    pub fn shown(&self) -> Cow<'_, Self> {
        // Entries of a part that is there as a whole have what they hold already.
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

    /// Whether anything in it or about it is different.
    #[must_use]
    pub fn is_edited(&self) -> bool {
        let is_different = |change: Change| change != Change::Same;
        !self.attributes.is_empty()
            || self.runs.iter().any(|run| is_different(run.change))
            || self.parts.iter().any(|part| is_different(part.change))
    }

    /// Whether it is different apart from the blocks in it.
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
