//! Keeps anchors stable from one version of a text to the next.
//!
//! An anchor is derived from a title. It stays with the title regardless of what is inserted before
//! it, and also if the title is corrected rather than replaced, because existing links use it. The
//! anchor derived from the new title becomes an alias, as do previous anchors.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::flat_document::{Entry, FlatDocument, NodeRef};
use crate::document::complete::{self, slug_of, slug_of_tab};
use crate::document::{BlockKind, Document, Identity, Key, Overrides};
use crate::slug::Anchors;

/// Minimum similarity, in percent of pairs of letters, between an anchor and the edited title that
/// keeps it.
const SIMILAR_PERCENT: usize = 50;
/// Maximum number of previous anchors kept for a node.
const FORMER_ANCHOR_LIMIT: usize = 8;

/// A node that links can point to.
struct LinkTarget<'d> {
    anchor: &'d str,
    /// The slug from which the anchor is generated; `None` if the source specifies the anchor.
    slug: Option<String>,
}

fn link_target<'d>(entry: &Entry<'d>) -> Option<LinkTarget<'d>> {
    match entry.content {
        NodeRef::Block(kind) => {
            let anchor = match kind {
                BlockKind::Heading(heading) => &heading.anchor,
                BlockKind::Expandable(expandable) => &expandable.anchor,
                BlockKind::OpenApi(block) => &block.anchor,
                _ => return None,
            };
            Some(LinkTarget { anchor, slug: slug_of(kind) })
        }
        NodeRef::Tab(tab) => Some(LinkTarget { anchor: &tab.anchor, slug: Some(slug_of_tab(tab)) }),
        _ => None,
    }
}

/// Determines the anchors to keep. `anchors` maps a key to the index of its entry in the old
/// document; `keys` holds the final keys of the new entries.
pub(super) fn transfer(
    old: &FlatDocument<'_>,
    known: &Identity,
    (document, new, keys): (&Document, &FlatDocument<'_>, &[Option<Key>]),
    places: &HashMap<u64, usize>,
    overrides: &mut Overrides,
) {
    let now: Vec<(Key, LinkTarget<'_>)> = new
        .entries
        .iter()
        .zip(keys)
        .filter_map(|(entry, key)| Some(((*key)?, link_target(entry)?)))
        .collect();
    let before = |key: Key| places.get(&key.0).and_then(|at| link_target(old.entries.get(*at)?));
    let slugs: HashSet<&str> =
        now.iter().filter_map(|(_, link_target)| link_target.slug.as_deref()).collect();
    let mut wanted = BTreeMap::new();
    for (key, link_target) in &now {
        let Some((old, slug)) = before(*key).zip(link_target.slug.as_ref()) else { continue };
        let is_same = old.slug.as_ref() == Some(slug);
        // A title from which exactly this anchor derives takes precedence.
        if is_same || (!slugs.contains(old.anchor) && is_similar(old.anchor, slug)) {
            wanted.insert(key.0, old.anchor.to_owned());
        }
    }
    let is_needed = |(key, link_target): &(Key, LinkTarget<'_>)| {
        wanted.get(&key.0).is_some_and(|wanted| wanted != link_target.anchor)
    };
    for (key, _) in now.iter().filter(|one| is_needed(one)) {
        overrides.anchors.extend(wanted.get(&key.0).map(|wanted| (key.0, wanted.clone())));
    }
    let mut result: BTreeMap<u64, String> =
        now.iter().map(|(key, link_target)| (key.0, link_target.anchor.to_owned())).collect();
    if !overrides.anchors.is_empty() {
        result = resulting_anchors(document, (new, keys), overrides);
    }
    // Fixing an anchor can displace a derived one; in that case fix all anchors that are to stay.
    if wanted.iter().any(|(key, wanted)| result.get(key) != Some(wanted)) {
        overrides.anchors = wanted;
        result = resulting_anchors(document, (new, keys), overrides);
    }
    for (key, _) in &now {
        let (Some(old), Some(anchor)) = (before(*key), result.get(&key.0)) else { continue };
        let mut former: Vec<String> = Vec::new();
        let latest = std::iter::once(old.anchor);
        for id in latest.chain(known.former(*key).iter().map(String::as_str)) {
            if id != anchor && !id.is_empty() && !former.iter().any(|known| known == id) {
                former.push(id.to_owned());
            }
        }
        former.truncate(FORMER_ANCHOR_LIMIT);
        if !former.is_empty() {
            overrides.former.insert(key.0, former);
        }
    }
}

/// Returns the anchors that the document would have, by key.
fn resulting_anchors(
    document: &Document,
    (flat_document, keys): (&FlatDocument<'_>, &[Option<Key>]),
    overrides: &Overrides,
) -> BTreeMap<u64, String> {
    let own: HashMap<Key, Key> = flat_document
        .entries
        .iter()
        .zip(keys)
        .filter_map(|(entry, key)| Some((entry.key?, (*key)?)))
        .collect();
    let mut document = document.clone();
    let rekey = &mut |key: &mut Key| *key = own.get(key).copied().unwrap_or(*key);
    complete::keys(&mut document.nodes, rekey);
    complete::clear_anchors(&mut document.nodes);
    let identity = Identity::of(overrides.clone());
    complete::anchors(&mut document.nodes, &mut Anchors::default(), &identity);
    let flat_document = FlatDocument::of(&document);
    let ids = flat_document
        .entries
        .iter()
        .filter_map(|entry| Some((entry.key?.0, link_target(entry)?.anchor.to_owned())));
    ids.collect()
}

/// Returns `true` if an anchor and a slug are similar, measured by shared pairs of letters.
fn is_similar(left: &str, right: &str) -> bool {
    let pairs = |text: &str| {
        let mut pairs: Vec<[u8; 2]> =
            text.as_bytes().windows(2).filter_map(|w| w.try_into().ok()).collect();
        pairs.sort_unstable();
        pairs
    };
    let (left, right) = (pairs(left), pairs(right));
    let (mut l, mut r, mut same) = (0, 0, 0_usize);
    while let (Some(a), Some(b)) = (left.get(l), right.get(r)) {
        match a.cmp(b) {
            std::cmp::Ordering::Less => l += 1,
            std::cmp::Ordering::Greater => r += 1,
            std::cmp::Ordering::Equal => (l, r, same) = (l + 1, r + 1, same + 1),
        }
    }
    2 * same * 100 >= SIMILAR_PERCENT * (left.len() + right.len()).max(1)
}
