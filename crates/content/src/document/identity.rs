//! Keys and anchors that a text keeps from earlier versions.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::Key;

/// The version of the encoding.
const VERSION: u8 = 1;
/// The version of the encoding of a text whose first heading belongs to the document.
const WITH_HEADING: u8 = 2;

/// The keys and anchors of a text that differ from the derived ones, and whether its first heading
/// belongs to the document. The default is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    overrides: Overrides,
    /// The preserved keys, which no other node may get.
    taken: HashSet<u64>,
    /// `true` if the first heading belongs to the document although it precedes all other content.
    has_heading: bool,
}

/// The encoded data.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Overrides {
    /// Preserved keys by derived key. Parts of a node get keys derived from the preserved one.
    pub(crate) keys: BTreeMap<u64, u64>,
    /// Preserved anchors, by the key of their node.
    pub(crate) anchors: BTreeMap<u64, String>,
    /// Previous anchors, latest first, by the key of their node.
    pub(crate) former: BTreeMap<u64, Vec<String>>,
}

impl Identity {
    /// Returns `true` if all keys and anchors are the derived ones and the first heading is the
    /// page's title.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.overrides == Overrides::default() && !self.has_heading
    }

    /// Returns `true` if the first heading belongs to the document, because the page's title does
    /// not say its words. Otherwise the heading is the title, which is not part of the document.
    #[must_use]
    pub fn has_heading(&self) -> bool {
        self.has_heading
    }

    /// Returns the identity with another value of [`has_heading`](Self::has_heading).
    #[must_use]
    pub fn with_heading(self, has_heading: bool) -> Self {
        Self { has_heading, ..self }
    }

    /// Encodes the identity; an empty identity gives no bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        if self.is_empty() {
            return Vec::new();
        }
        let version = if self.has_heading { WITH_HEADING } else { VERSION };
        postcard::to_extend(&self.overrides, vec![version]).unwrap_or_default()
    }

    /// Decodes an identity. Invalid bytes give an empty identity.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Self {
        let (version, overrides) = match bytes.split_first() {
            Some((version @ &(VERSION | WITH_HEADING), rest)) => {
                (*version, postcard::from_bytes(rest).unwrap_or_default())
            }
            _ => (VERSION, Overrides::default()),
        };
        Self::of(overrides).with_heading(version == WITH_HEADING)
    }

    pub(crate) fn of(overrides: Overrides) -> Self {
        let taken = overrides.keys.values().copied().collect();
        Self { overrides, taken, has_heading: false }
    }

    /// Returns the preserved key for a derived one. Different keys stay different.
    pub(crate) fn key(&self, derived: Key) -> Key {
        if self.taken.is_empty() {
            return derived;
        }
        match self.overrides.keys.get(&derived.0) {
            Some(key) => Key(*key),
            None => unused_key(derived, |key| self.taken.contains(&key.0)),
        }
    }

    /// Returns `true` if any anchors differ from the derived ones.
    pub(crate) fn has_anchors(&self) -> bool {
        !(self.overrides.anchors.is_empty() && self.overrides.former.is_empty())
    }

    /// Returns the preserved anchor of the node with this key.
    pub(crate) fn anchor(&self, key: Key) -> Option<&str> {
        self.overrides.anchors.get(&key.0).map(String::as_str)
    }

    /// Returns the previous anchors of the node with this key.
    pub(crate) fn former(&self, key: Key) -> &[String] {
        self.overrides.former.get(&key.0).map_or(&[], Vec::as_slice)
    }
}

/// Returns the key itself, or the first unused one of a series derived from it.
pub(crate) fn unused_key(key: Key, is_taken: impl Fn(Key) -> bool) -> Key {
    /// Starts beyond the numbers that parts of nodes use.
    const SERIES: u64 = 1 << 40;
    let mut number = SERIES;
    let mut candidate = key;
    while is_taken(candidate) {
        candidate = key.part(number);
        number += 1;
    }
    candidate
}
