//! Merges texts, by words and by the characters of words.

use std::collections::HashMap;
use std::ops::Range;

use bindery_content::subsequence::runs;

use super::{Edit, Merge, common_ends, number_of, push_joined};
use crate::node::{Fragment, Marks, Node};

/// A text as characters and other inline nodes.
struct Pieces {
    /// A number for each piece, the same for equal ones.
    ids: Vec<u32>,
    /// The pieces with which words and the signs between them begin, and the end.
    words: Vec<usize>,
    /// `true` for each word that has letters or digits or is another inline node, `false` for signs
    /// and spaces.
    are_words: Vec<bool>,
    /// The offset of each piece, and the end of the last one.
    offsets: Vec<usize>,
}

/// The numbers of pieces: those of characters by their marks, and other nodes.
#[derive(Default)]
struct Names {
    characters: HashMap<(char, usize), u32>,
    marks: Vec<Marks>,
    nodes: Vec<(Node, u32)>,
    next: u32,
}

impl Names {
    fn next(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn marks(&mut self, marks: &Marks) -> usize {
        self.marks.iter().position(|known| known == marks).unwrap_or_else(|| {
            self.marks.push(marks.clone());
            self.marks.len() - 1
        })
    }

    fn character(&mut self, character: char, marks: usize) -> u32 {
        if let Some(known) = self.characters.get(&(character, marks)) {
            return *known;
        }
        let id = self.next();
        self.characters.insert((character, marks), id);
        id
    }

    fn node(&mut self, node: &Node) -> u32 {
        if let Some((_, id)) = self.nodes.iter().find(|(known, _)| known == node) {
            return *id;
        }
        let id = self.next();
        self.nodes.push((node.clone(), id));
        id
    }

    fn pieces(&mut self, content: &Fragment) -> Pieces {
        let mut pieces =
            Pieces { ids: Vec::new(), words: Vec::new(), are_words: Vec::new(), offsets: vec![0] };
        let (mut at, mut is_in_word) = (0, false);
        for node in content.iter() {
            match node.as_text() {
                Some(text) => {
                    let marks = self.marks(node.marks());
                    for character in text.as_str().chars() {
                        at += character.len_utf16();
                        let goes_on = is_in_word && character.is_alphanumeric();
                        is_in_word = character.is_alphanumeric();
                        if !goes_on {
                            pieces.words.push(pieces.ids.len());
                            pieces.are_words.push(is_in_word);
                        }
                        pieces.ids.push(self.character(character, marks));
                        pieces.offsets.push(at);
                    }
                }
                None => {
                    at += node.size();
                    is_in_word = false;
                    pieces.words.push(pieces.ids.len());
                    pieces.are_words.push(true);
                    pieces.ids.push(self.node(node));
                    pieces.offsets.push(at);
                }
            }
        }
        pieces.words.push(pieces.ids.len());
        pieces
    }
}

impl Pieces {
    fn offset(&self, index: usize) -> usize {
        self.offsets.get(index).copied().unwrap_or_default()
    }

    /// Returns the piece with which a word begins.
    fn word(&self, index: usize) -> usize {
        self.words.get(index).copied().unwrap_or(self.ids.len())
    }

    /// Returns a number for each word, the same for equal ones.
    fn word_ids(&self, numbers: &mut HashMap<Vec<u32>, u32>) -> Vec<u32> {
        let words = self.words.windows(2).filter_map(|ends| match ends {
            [from, to] => Some(self.range(*from, *to).to_vec()),
            _ => None,
        });
        words.map(|word| number_of(numbers, word)).collect()
    }

    fn range(&self, from: usize, to: usize) -> &[u32] {
        self.ids.get(from..to).unwrap_or_default()
    }
}

/// The partners of the pieces of a text in another one.
struct Partners {
    /// The partner of each piece.
    found: Vec<Option<usize>>,
    /// The stretches between equal words, whose pieces are paired one by one if they are similar.
    between: Vec<Range<usize>>,
}

impl Partners {
    /// Returns the partners without those in stretches that the other text lacks a piece of. The
    /// words that replace such a stretch are treated as new ones, and are not mixed with those of
    /// the other text.
    fn without_changes_of(&self, other: &Self) -> Vec<Option<usize>> {
        let mut found = self.found.clone();
        for stretch in &self.between {
            let there = other.found.get(stretch.clone()).unwrap_or_default();
            if there.iter().any(Option::is_none) {
                found.get_mut(stretch.clone()).unwrap_or_default().fill(None);
            }
        }
        found
    }
}

/// Returns the partner of each piece of a text in another one: first those in equal words, then
/// those between them as far as these are similar.
fn partners(left: &Pieces, right: &Pieces) -> Partners {
    let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
    let [one, other] = [left, right].map(|pieces| pieces.word_ids(&mut numbers));
    let mut found = vec![None; left.ids.len()];
    let mut stretches = Vec::new();
    let mut pair = |from: usize, to: usize, length: usize| {
        for (index, place) in found.iter_mut().skip(from).take(length).enumerate() {
            *place = Some(to + index);
        }
    };
    let mut before = (0, 0);
    let end = (one.len(), other.len(), 0);
    // Spaces and signs that are equal without a word beside them are equal by chance, except at the
    // ends of the texts.
    let is_meant = |&(from, to, length): &(usize, usize, usize)| {
        let words = left.are_words.get(from..from + length).unwrap_or_default();
        let is_at_end = (from, to) == (0, 0) || (from + length, to + length) == (end.0, end.1);
        is_at_end || words.contains(&true)
    };
    for (from, to, length) in runs(&one, &other).into_iter().filter(is_meant).chain([end]) {
        let (start, end) = (left.word(from), left.word(from + length));
        let (other_start, other_end) = (right.word(to), right.word(to + length));
        let between = (left.range(before.0, start), right.range(before.1, other_start));
        stretches.push(before.0..start);
        for (at, other_at, length) in similar(between.0, between.1) {
            pair(before.0 + at, before.1 + other_at, length);
        }
        pair(start, other_start, end - start);
        before = (end, other_end);
    }
    Partners { found, between: stretches }
}

/// Returns the common beginning and end of two stretches if they are at least two thirds of the
/// longer one. Other letters are equal by chance: a word that takes the place of another one is not
/// made of its letters.
fn similar(left: &[u32], right: &[u32]) -> Vec<(usize, usize, usize)> {
    let (start, end) = common_ends(left, right);
    if (start + end) * 3 < left.len().max(right.len()) * 2 {
        return Vec::new();
    }
    vec![(0, 0, start), (left.len() - end, right.len() - end, end)]
}

/// A stretch of the base and what replaces it.
struct Hunk {
    base: Range<usize>,
    theirs: Range<usize>,
}

/// Returns what a text replaces of the base.
fn hunks(to_theirs: &[Option<usize>], length: usize) -> Vec<Hunk> {
    let mut found = Vec::new();
    let (mut base, mut theirs) = (0, 0);
    let ends = to_theirs.iter().enumerate().filter_map(|(index, at)| Some((index, (*at)?)));
    for (index, at) in ends.chain([(to_theirs.len(), length)]) {
        if base < index || theirs < at {
            found.push(Hunk { base: base..index, theirs: theirs..at });
        }
        (base, theirs) = (index + 1, at + 1);
    }
    found
}

/// Returns the range of another text between the partners on both sides of each place of a text: in
/// front of each piece, and at the end.
fn gaps_of(partners: &[Option<usize>], length: usize) -> Vec<(usize, usize)> {
    let mut gaps = Vec::with_capacity(partners.len() + 1);
    let mut begin = 0;
    for partner in partners {
        gaps.push((begin, length));
        begin = partner.map_or(begin, |index| index + 1);
    }
    gaps.push((begin, length));
    let mut end = length;
    for (gap, partner) in gaps.iter_mut().zip(partners).rev() {
        end = partner.unwrap_or(end);
        gap.1 = end;
    }
    gaps
}

impl Merge {
    /// Merges the texts of a node, which begin at a position of the document.
    pub(super) fn inline(
        &mut self,
        base: &Fragment,
        mine: &Fragment,
        theirs: &Fragment,
        start: usize,
    ) {
        let mut names = Names::default();
        let [before, own, other] = [base, mine, theirs].map(|content| names.pieces(content));
        let (to_mine, to_theirs) = (partners(&before, &own), partners(&before, &other));
        let (to_mine, to_theirs) =
            (to_mine.without_changes_of(&to_theirs), to_theirs.without_changes_of(&to_mine));
        let gaps = gaps_of(&to_mine, own.ids.len());
        let mut edits = Vec::new();
        for Hunk { base, theirs: changed } in hunks(&to_theirs, other.ids.len()) {
            let partner = |index: usize| to_mine.get(index).copied().flatten();
            let begin = gaps.get(base.start).map_or(0, |(begin, _)| *begin);
            let end = gaps.get(base.end).map_or(own.ids.len(), |(_, end)| *end);
            // Both sides may have written the same.
            if own.range(begin, end) == other.range(changed.start, changed.end) {
                continue;
            }
            let kept: Vec<usize> = match self.is_new {
                true => Vec::new(),
                false => base.clone().filter_map(partner).collect(),
            };
            let is_shared = end - begin > kept.len() || kept.len() < base.len();
            if is_shared && !base.is_empty() {
                self.conflicts += 1;
            }
            let at = kept.first().copied().unwrap_or(begin);
            let [from, to] = [changed.start, changed.end].map(|index| other.offset(index));
            let nodes = theirs.cut(from, to).map(|cut| cut.as_slice().to_vec());
            let place = start + own.offset(at);
            edits.push(Edit { from: place, to: place, nodes: nodes.unwrap_or_default() });
            edits.extend(kept.into_iter().map(|index| Edit {
                from: start + own.offset(index),
                to: start + own.offset(index + 1),
                nodes: Vec::new(),
            }));
        }
        push_joined(&mut self.edits, edits);
    }
}
