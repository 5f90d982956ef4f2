//! The differences of two versions of a document, each of which can be taken over by itself.

use super::Merge;
use crate::error::Result;
use crate::node::{Fragment, Node};
use crate::step::{Change, Step};

/// Maximum number of positions between two changes of one word.
const MAX_GAP: usize = 30;
/// Number of positions between the text of a block and that of the next one.
const BETWEEN_BLOCKS: usize = 2;

/// A place where another version of a document differs.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The beginning of the range in the document.
    pub from: usize,
    /// The end of the range in the document.
    pub to: usize,
    /// The beginning of the range in the other version.
    pub other_from: usize,
    /// The end of the range in the other version.
    pub other_to: usize,
    /// The text of the range, with a line for each block.
    pub before: String,
    /// The text of the range in the other version.
    pub after: String,
    /// The changes, in their order in the document.
    steps: Vec<Step>,
}

impl Difference {
    /// Returns a description of the changes without their positions, which stays the same while
    /// the text around them changes.
    #[must_use]
    pub fn content(&self) -> String {
        let mut found = self.before.clone();
        for step in &self.steps {
            let mut json = step.to_json();
            if let Some(fields) = json.as_object_mut() {
                fields.retain(|name, value| !value.is_number() || name == "insert");
            }
            found.push('\n');
            found.push_str(&json.to_string());
        }
        found
    }
}

impl Node {
    /// Returns the places where another version of the document differs, in their order. Changes of
    /// one word are one difference.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        let mut merge = Merge::default();
        merge.children(self.content(), self.content(), other.content(), 0);
        let Merge { heads, mut edits, .. } = merge;
        edits.sort_by_key(|edit| (edit.from, edit.to));
        // The ends of the edits, each with the number of positions that it and those before it add.
        let mut moves: Vec<(usize, isize)> = Vec::new();
        let mut found: Vec<Difference> = Vec::new();
        for edit in edits {
            let (from, to) = (edit.from, edit.to);
            let added: usize = edit.nodes.iter().map(Node::size).sum();
            let moved = moves.last().map_or(0, |(_, moved)| *moved);
            let other_from = from.saturating_add_signed(moved);
            moves.push((to, moved + signed(added) - signed(to - from)));
            let (other_to, step) = (other_from + added, edit.into_step());
            match found.last_mut().filter(|last| self.is_one_change(last.to, from)) {
                Some(last) => {
                    (last.to, last.other_to) = (to, other_to);
                    last.steps.push(step);
                }
                None => found.push(Difference::new((from, to), (other_from, other_to), step)),
            }
        }
        for step in heads {
            let Some((from, to)) = self.range_of_head(&step) else { continue };
            let before = moves.partition_point(|(end, _)| *end <= from);
            let moved = moves.get(..before).and_then(<[_]>::last).map_or(0, |(_, moved)| *moved);
            let other_from = from.saturating_add_signed(moved);
            let size = other.at(other_from).map_or(0, Node::size);
            found.push(Difference::new((from, to), (other_from, other_from + size), step));
        }
        found.sort_by_key(|difference| (difference.from, difference.to));
        for difference in &mut found {
            difference.before = self.text_between(difference.from, difference.to);
            difference.after = other.text_between(difference.other_from, difference.other_to);
        }
        found
    }

    /// Returns the document with some of its differences, which are in their order.
    ///
    /// # Errors
    /// Returns an error if the document is not valid with only these differences.
    pub fn with_differences<'a>(
        &self,
        chosen: impl DoubleEndedIterator<Item = &'a Difference>,
    ) -> Result<Self> {
        // The last one comes first, so that it moves no position of the others.
        let last_first = chosen.rev().flat_map(|difference| difference.steps.iter().rev());
        let steps: Vec<&Step> = last_first.collect();
        // A change of a type comes first, because it moves no position.
        let (heads, edits): (Vec<&Step>, Vec<&Step>) =
            steps.into_iter().partition(|step| self.range_of_head(step).is_some());
        let mut doc = self.clone();
        for step in heads.into_iter().chain(edits) {
            doc = step.apply(&doc)?;
        }
        Ok(doc)
    }

    /// Returns the range of the node whose type or attributes a step changes.
    fn range_of_head(&self, step: &Step) -> Option<(usize, usize)> {
        let at = match step.0 {
            Change::SetAttr { at, .. } | Change::ReplaceAround { from: at, .. } => at,
            _ => return None,
        };
        Some((at, at + self.at(at)?.size()))
    }

    /// Returns `true` if changes that end and begin at these positions are changes of one word, or
    /// of the end of a block and the beginning of the next one.
    fn is_one_change(&self, end: usize, begin: usize) -> bool {
        let gap = begin.saturating_sub(end);
        if gap <= BETWEEN_BLOCKS {
            return true;
        }
        let kept = if gap <= MAX_GAP { self.text_between(end, begin) } else { return false };
        kept.encode_utf16().count() == gap && kept.chars().all(char::is_alphanumeric)
    }

    /// Returns the text between two positions, with a line for each block.
    fn text_between(&self, from: usize, to: usize) -> String {
        let mut found = String::new();
        if let Some(content) = self.content().cut(from, to) {
            add_lines(&content, &mut found);
        }
        found
    }
}

fn add_lines(content: &Fragment, found: &mut String) {
    for (index, node) in content.iter().enumerate() {
        match node.as_text() {
            Some(text) => found.push_str(text.as_str()),
            None => {
                if index > 0 && !node.kind().is_inline() {
                    found.push('\n');
                }
                add_lines(node.content(), found);
            }
        }
    }
}

fn signed(number: usize) -> isize {
    isize::try_from(number).unwrap_or(isize::MAX)
}

impl Difference {
    fn new((from, to): (usize, usize), (other_from, other_to): (usize, usize), step: Step) -> Self {
        let (before, after) = (String::new(), String::new());
        Self { from, to, other_from, other_to, before, after, steps: vec![step] }
    }
}
