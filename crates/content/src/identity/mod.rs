//! Keys and anchors that stay stable when a source is edited.
//!
//! Both are derived from the text, so most texts need no further data. An [`Identity`] records the
//! keys and anchors of an edited text that differ from the derived ones. It is computed by
//! comparing two documents ([`transfer`]), is stored beside the text, and is applied whenever the
//! text is parsed ([`parse_as`]).

mod anchors;
mod flat_document;
mod matching;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use crate::document::{Document, Identity, Key, Overrides, unused_key};
use crate::markdown::{parse, parse_as};
use crate::page::Page;
use crate::reference::{Lookup, ParseContext};

/// Computes the identity of `after`, which was parsed without an identity. Unchanged nodes keep
/// their keys wherever they moved; edited ones are matched by similarity and position. `known` is
/// the identity of `before`. The first heading belongs to both documents or to neither.
#[must_use]
pub fn transfer(before: &Document, known: &Identity, after: &Document) -> Identity {
    let old = flat_document::FlatDocument::of(before);
    let new = flat_document::FlatDocument::of(after);
    let partners = matching::partners(&old, &new);
    let mut wanted: Vec<Option<Key>> = Vec::with_capacity(new.entries.len());
    let mut given = HashSet::new();
    for partner in &partners {
        let key = partner.and_then(|index| old.entries.get(index)).and_then(|entry| entry.key);
        wanted.push(key.filter(|key| given.insert(key.0)));
    }
    let mut overrides = Overrides::default();
    let mut finals: Vec<Option<Key>> = Vec::with_capacity(new.entries.len());
    for (entry, wanted) in new.entries.iter().zip(&wanted) {
        let source_key =
            entry.key_source.and_then(|source| finals.get(source.entry).copied().flatten());
        let derived = match (entry.key_source, source_key) {
            (Some(source), Some(key)) => Some(key.part(source.part)),
            _ => entry.key,
        };
        let key = derived.map(|derived| {
            let key = wanted.unwrap_or_else(|| unused_key(derived, |key| given.contains(&key.0)));
            if key != derived {
                overrides.keys.insert(derived.0, key.0);
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
    anchors::transfer(&old, known, (after, &new, &finals), &places, &mut overrides);
    Identity::of(overrides).with_heading(known.has_heading())
}

/// The text of a file before or after an edit.
#[derive(Debug, Clone, Copy)]
pub struct Text<'t> {
    /// The bytes of the file.
    pub source: &'t [u8],
    /// The path of the file, against which relative targets are resolved.
    pub path: &'t str,
}

/// Computes the encoded identity of `after`, like [`transfer`], from the text of two files.
/// `identity` is the encoded identity of `before`; `has_heading` is `true` if the first heading of
/// `after` belongs to its document.
#[must_use]
pub fn transfer_text(
    before: Text<'_>,
    identity: &[u8],
    after: Text<'_>,
    has_heading: bool,
) -> Vec<u8> {
    let known = Identity::decode(identity);
    let is_same_heading = known.has_heading() == has_heading;
    if before.source == after.source && is_same_heading {
        return identity.to_vec();
    }
    // Decode as the parser does: keys depend on the decoded text.
    let text = String::from_utf8_lossy;
    let (old, new) = (text(before.source), text(after.source));
    let fresh = Identity::default().with_heading(has_heading);
    let old = Page::split_as(&old, &known).body.of(&old);
    let new = Page::split_as(&new, &fresh).body.of(&new);
    if old == new && is_same_heading {
        return identity.to_vec();
    }
    let old = parse_as(old, &ParseContext { path: before.path, lookup: &PathLookup }, &known);
    let new = parse(new, &ParseContext { path: after.path, lookup: &PathLookup });
    transfer(&old, &known, &new).with_heading(has_heading).encode()
}

/// Resolves every target to its path, so that a link rewritten because its page moved keeps its
/// target.
struct PathLookup;

impl Lookup for PathLookup {
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
