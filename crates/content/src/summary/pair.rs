//! Pairs the entries of a new table of contents with those of the old one.

use std::collections::{HashMap, VecDeque};

use super::{Entry, EntryKind, Item};

/// An entry in preorder: each entry precedes its children.
pub(super) struct FlatEntry<'t, T> {
    pub(super) node: &'t T,
    pub(super) parent: Option<usize>,
    pub(super) is_group: bool,
    /// `true` if the entry is a child of an entry that is not a group.
    pub(super) is_nested: bool,
    /// `true` if the entry follows a group at the top level, so that a rule must end the group.
    pub(super) follows_group: bool,
}

/// The common interface of old and new entries.
pub(super) trait Tree: Sized {
    fn kind(&self) -> &EntryKind;
    fn title(&self) -> &str;
    fn rest(&self) -> (&Option<String>, &Option<String>);
    fn children(&self) -> &[Self];
}

impl Tree for Entry {
    fn kind(&self) -> &EntryKind {
        &self.kind
    }
    fn title(&self) -> &str {
        &self.title
    }
    fn rest(&self) -> (&Option<String>, &Option<String>) {
        (&self.link_title, &self.emoji)
    }
    fn children(&self) -> &[Self] {
        &self.children
    }
}

impl Tree for Item {
    fn kind(&self) -> &EntryKind {
        &self.kind
    }
    fn title(&self) -> &str {
        &self.title
    }
    fn rest(&self) -> (&Option<String>, &Option<String>) {
        (&self.link_title, &self.emoji)
    }
    fn children(&self) -> &[Self] {
        &self.children
    }
}

/// Returns all entries in preorder.
pub(super) fn flatten<T: Tree>(top: &[T]) -> Vec<FlatEntry<'_, T>> {
    fn push<'t, T: Tree>(
        nodes: &'t [T],
        parent: Option<usize>,
        stack: &mut Vec<(&'t T, Option<usize>, bool)>,
    ) {
        let from = stack.len();
        let mut after_group = false;
        for node in nodes {
            let is_group = is_group(node);
            stack.push((node, parent, after_group && !is_group));
            after_group = is_group && parent.is_none();
        }
        stack.get_mut(from..).unwrap_or_default().reverse();
    }
    let mut flat = Vec::new();
    let mut stack = Vec::new();
    push(top, None, &mut stack);
    while let Some((node, parent, follows_group)) = stack.pop() {
        push(node.children(), Some(flat.len()), &mut stack);
        let is_below =
            |parent| flat.get(parent).is_some_and(|flat: &FlatEntry<'_, T>| !flat.is_group);
        let is_nested = parent.is_some_and(is_below);
        flat.push(FlatEntry { node, parent, is_group: is_group(node), is_nested, follows_group });
    }
    flat
}

fn is_group<T: Tree>(node: &T) -> bool {
    matches!(node.kind(), EntryKind::Group { .. })
}

/// Returns the index of the old entry that each new entry was: an equal entry, otherwise one with
/// the same file, otherwise one of the same kind with the same title, otherwise one of the same
/// kind in the same position.
pub(super) fn pair(
    old: &[FlatEntry<'_, Entry>],
    new: &[FlatEntry<'_, Item>],
) -> Vec<Option<usize>> {
    let mut pairs = Pairs { old, new, pairs: vec![None; new.len()], taken: vec![false; old.len()] };
    pairs.pair_by(content_key, content_key);
    pairs.pair_by(file_key, file_key);
    pairs.pair_by(title_key, title_key);
    for at in 0..new.len() {
        let place = match at.checked_sub(1) {
            None => Some(0),
            Some(before) => pairs.pairs.get(before).copied().flatten().map(|before| before + 1),
        };
        let fits = |place: &usize| {
            let kind = |kind: &EntryKind| std::mem::discriminant(kind);
            let old = old.get(*place).map(|old| kind(old.node.kind()));
            old.is_some() && old == new.get(at).map(|new| kind(new.node.kind()))
        };
        if let Some(place) = place.filter(fits) {
            pairs.take(at, place);
        }
    }
    pairs.pairs
}

fn content_key<T: Tree>(node: &T) -> Option<String> {
    Some(format!("{:?}", (node.kind(), node.title(), node.rest())))
}

fn file_key<T: Tree>(node: &T) -> Option<String> {
    match node.kind() {
        EntryKind::Page { path } => Some(path.clone()),
        _ => None,
    }
}

fn title_key<T: Tree>(node: &T) -> Option<String> {
    Some(format!("{:?} {}", std::mem::discriminant(node.kind()), node.title()))
}

struct Pairs<'p> {
    old: &'p [FlatEntry<'p, Entry>],
    new: &'p [FlatEntry<'p, Item>],
    pairs: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Pairs<'_> {
    fn take(&mut self, at: usize, old: usize) {
        if let (Some(pair @ None), Some(taken @ false)) =
            (self.pairs.get_mut(at), self.taken.get_mut(old))
        {
            (*pair, *taken) = (Some(old), true);
        }
    }

    fn pair_by(
        &mut self,
        old_key: impl Fn(&Entry) -> Option<String>,
        new_key: impl Fn(&Item) -> Option<String>,
    ) {
        let mut known: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (at, old) in self.old.iter().enumerate() {
            let is_free = self.taken.get(at) == Some(&false);
            if let Some(key) = old_key(old.node).filter(|_| is_free) {
                known.entry(key).or_default().push_back(at);
            }
        }
        let new = self.new;
        for (at, flat) in new.iter().enumerate() {
            let is_free = self.pairs.get(at) == Some(&None);
            let key = new_key(flat.node).filter(|_| is_free);
            if let Some(old) = key.and_then(|key| known.get_mut(&key)?.pop_front()) {
                self.take(at, old);
            }
        }
    }
}

/// Returns `true` for the pairs that keep the order of the old entries: the longest increasing
/// subsequence.
pub(super) fn in_order(pairs: &[Option<usize>]) -> Vec<bool> {
    // The last pair of the best sequence of each length, and the predecessor of each pair.
    let mut tails: Vec<(usize, usize)> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (at, pair) in pairs.iter().enumerate() {
        let Some(old) = *pair else { continue };
        let length = tails.partition_point(|(last, _)| *last < old);
        let link = length.checked_sub(1).and_then(|length| tails.get(length));
        if let Some(slot) = before.get_mut(at) {
            *slot = link.map(|(_, at)| *at);
        }
        match tails.get_mut(length) {
            Some(tail) => *tail = (old, at),
            None => tails.push((old, at)),
        }
    }
    let mut kept = vec![false; pairs.len()];
    let mut next = tails.last().map(|(_, at)| *at);
    while let Some(at) = next {
        if let Some(slot) = kept.get_mut(at) {
            *slot = true;
        }
        next = before.get(at).copied().flatten();
    }
    kept
}
