//! What stays itself when a source is edited: keys of nodes and ids that links lead to.
//!
//! Both are derived from the text, so that most texts need nothing beside them. An [`Identity`]
//! holds what an edited text has of before and would not get by itself. It is made by comparing
//! two documents ([`carry`]), kept beside the text, and counts whenever that is read
//! ([`parse_as`]).

mod anchors;
mod matching;
mod sketch;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::document::{Document, Key};
use crate::markdown::{ParseContext, parse, parse_as};
use crate::page::Page;
use crate::reference::Lookup;

/// The version of the encoding.
const VERSION: u8 = 1;

/// Keys and ids that a text has of before. The default: none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    kept: Kept,
    /// The keys that are kept: nothing else may get one of them.
    taken: HashSet<u64>,
}

/// What is kept beside the text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Kept {
    /// Keys by what would be derived. What belongs to a node gets its key from the kept one.
    keys: BTreeMap<u64, u64>,
    /// Ids that links lead to, by the key of what has them.
    anchors: BTreeMap<u64, String>,
    /// Ids that led to the same before, by the key of what had them, the latest first.
    former: BTreeMap<u64, Vec<String>>,
}

impl Identity {
    /// Whether everything is as it is derived.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept == Kept::default()
    }

    /// The bytes to keep beside the text; none for an empty one.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        if self.is_empty() {
            return Vec::new();
        }
        postcard::to_extend(&self.kept, vec![VERSION]).unwrap_or_default()
    }

    /// Reads bytes. What cannot be read keeps nothing: everything is then as it is derived.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Self {
        let kept = match bytes.split_first() {
            Some((&VERSION, rest)) => postcard::from_bytes(rest).unwrap_or_default(),
            _ => Kept::default(),
        };
        Self::of(kept)
    }

    fn of(kept: Kept) -> Self {
        let taken = kept.keys.values().copied().collect();
        Self { kept, taken }
    }

    /// The key in place of the one that was derived. Different ones stay different.
    pub(crate) fn key(&self, derived: Key) -> Key {
        if self.taken.is_empty() {
            return derived;
        }
        match self.kept.keys.get(&derived.0) {
            Some(kept) => Key(*kept),
            None => fresh(derived, |key| self.taken.contains(&key.0)),
        }
    }

    /// Whether ids are other ones than those derived.
    pub(crate) fn has_anchors(&self) -> bool {
        !(self.kept.anchors.is_empty() && self.kept.former.is_empty())
    }

    /// The id that what has this key keeps.
    pub(crate) fn anchor(&self, key: Key) -> Option<&str> {
        self.kept.anchors.get(&key.0).map(String::as_str)
    }

    /// The ids under which what has this key was known.
    pub(crate) fn former(&self, key: Key) -> &[String] {
        self.kept.former.get(&key.0).map_or(&[], Vec::as_slice)
    }
}

/// The key itself, or, where that is taken, the first of a series that is not.
fn fresh(key: Key, is_taken: impl Fn(Key) -> bool) -> Key {
    /// Apart from the numbers that parts of nodes have.
    const SERIES: u64 = 1 << 40;
    let mut number = SERIES;
    let mut candidate = key;
    while is_taken(candidate) {
        candidate = key.part(number);
        number += 1;
    }
    candidate
}

/// What `after`, read without an identity, has of `before`: the same nodes wherever they are now,
/// and edited ones by their likeness and place. `known` is the identity of `before`.
#[must_use]
pub fn carry(before: &Document, known: &Identity, after: &Document) -> Identity {
    let old = sketch::Sketch::of(before);
    let new = sketch::Sketch::of(after);
    let partners = matching::partners(&old, &new);
    let mut wanted: Vec<Option<Key>> = Vec::with_capacity(new.entries.len());
    let mut given = HashSet::new();
    for partner in &partners {
        let key = partner.and_then(|index| old.entries.get(index)).and_then(|entry| entry.key);
        wanted.push(key.filter(|key| given.insert(key.0)));
    }
    let mut kept = Kept::default();
    let mut finals: Vec<Option<Key>> = Vec::with_capacity(new.entries.len());
    for (entry, wanted) in new.entries.iter().zip(&wanted) {
        let owner = entry.owner.and_then(|owner| finals.get(owner.entry).copied().flatten());
        let derived = match (entry.owner, owner) {
            (Some(of), Some(owner)) => Some(owner.part(of.part)),
            _ => entry.key,
        };
        let key = derived.map(|derived| {
            let key = wanted.unwrap_or_else(|| fresh(derived, |key| given.contains(&key.0)));
            if key != derived {
                kept.keys.insert(derived.0, key.0);
            }
            key
        });
        finals.push(key);
    }
    let places: HashMap<u64, usize> = partners
        .iter()
        .zip(&finals)
        .filter_map(|(partner, key)| Some((key.as_ref()?.0, (*partner)?)))
        .collect();
    anchors::carry(&old, known, (after, &new, &finals), &places, &mut kept);
    Identity::of(kept)
}

/// The text of a file as an identity is carried over from it or to it.
#[derive(Debug, Clone, Copy)]
pub struct Text<'t> {
    /// The bytes of the file.
    pub source: &'t [u8],
    /// Its path, from which relative targets are read.
    pub path: &'t str,
}

/// As [`carry`], from the texts of files; `identity` is the encoded one of `before`, the answer
/// that of `after`.
#[must_use]
pub fn carry_text(before: Text<'_>, identity: &[u8], after: Text<'_>) -> Vec<u8> {
    if before.source == after.source {
        return identity.to_vec();
    }
    let known = Identity::decode(identity);
    // As readers of the text decode it: keys depend on what it becomes.
    let text = String::from_utf8_lossy;
    let (old, new) = (text(before.source), text(after.source));
    let (old, new) = (Page::split(&old).body.of(&old), Page::split(&new).body.of(&new));
    if old == new {
        return identity.to_vec();
    }
    let old = parse_as(old, &ParseContext { path: before.path, lookup: &Paths }, &known);
    let new = parse(new, &ParseContext { path: after.path, lookup: &Paths });
    carry(&old, &known, &new).encode()
}

/// Everything is where its path says: a link that was written anew because its page moved still
/// points to the same.
struct Paths;

impl Lookup for Paths {
    fn page(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }
    fn file(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }
    fn reusable_content(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }
}
