//! Edits of a map. At each level, only the chunks that the edits touch are divided again.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::build::{Chunk, Chunker, Inner};
use super::node::{Child, Entry, Item, Node};
use super::{Edit, Map, MapBuilder};
use crate::object::{Hash, ObjectError, Objects, Staging};

type Edits<T> = BTreeMap<Bytes, Option<T>>;

pub(super) fn apply(
    map: &Map,
    staging: &mut Staging<'_>,
    edits: Vec<Edit>,
) -> Result<Map, ObjectError> {
    let edits: Edits<Entry> = edits
        .into_iter()
        .map(|(key, value)| (key.clone(), value.map(|value| Entry { key, value })))
        .collect();
    let Some(root) = map.root else {
        let mut builder = MapBuilder::new(map.salt);
        for entry in edits.into_values().flatten() {
            builder.push(staging, entry.key, entry.value);
        }
        return Ok(builder.finish(staging));
    };
    let top = Node::load(staging, &root)?.level();
    let mut made = Vec::new();
    let mut nodes = level(map, root, 0, staging, edits, &mut made)?;
    if nodes.is_empty() {
        return Ok(*map);
    }
    for at in 1..=top {
        nodes = level(map, root, at, staging, nodes, &mut made)?;
    }
    // The top level was a single node; its replacements are all nodes of that level.
    let mut tops: Vec<Child> = nodes.into_values().flatten().collect();
    if let [only] = &mut tops[..] {
        lower(only, &mut made, staging)?;
    }
    let mut inner = Inner::new(map.salt, top + 1);
    for chunk in made {
        chunk.store(staging);
    }
    for child in tops {
        inner.push(staging, child);
    }
    Ok(inner.finish(staging))
}

/// Lowers the root as long as it has a single child; such a root is not stored.
fn lower(
    root: &mut Child,
    made: &mut Vec<Chunk>,
    staging: &Staging<'_>,
) -> Result<(), ObjectError> {
    loop {
        let own = made.iter().rposition(|chunk| chunk.child.hash == root.hash);
        let node = match own.and_then(|own| made.get(own)) {
            Some(chunk) => Node::read(&chunk.bytes)?,
            None => Node::load(staging, &root.hash)?,
        };
        let Node::Inner { children, .. } = node else { return Ok(()) };
        let [child] = &children[..] else { return Ok(()) };
        *root = child.clone();
        if let Some(own) = own {
            made.swap_remove(own);
        }
    }
}

/// Applies edits to one level and adds its new nodes to `made`. Returns the edits for the level
/// above.
fn level<T: Item>(
    map: &Map,
    root: Hash,
    at: u8,
    objects: &dyn Objects,
    edits: Edits<T>,
    made: &mut Vec<Chunk>,
) -> Result<Edits<Child>, ObjectError> {
    let mut above: Edits<Child> = BTreeMap::new();
    let mut edits = edits.into_iter().peekable();
    while let Some((first, _)) = edits.peek() {
        let mut cursor = Cursor::seek(objects, root, at, first)?;
        let mut chunker = Chunker::<T>::new(map.salt, at);
        let mut old: Vec<Child> = Vec::new();
        let mut new: Vec<Chunk> = Vec::new();
        loop {
            old.push(cursor.child.clone());
            let end = (!cursor.is_last()).then(|| cursor.child.last.clone());
            for item in T::of(Node::load(objects, &cursor.child.hash)?)? {
                while let Some((_, edit)) = edits.next_if(|(key, _)| key < item.key()) {
                    new.extend(edit.and_then(|item| chunker.push(item)));
                }
                let kept = match edits.next_if(|(key, _)| key == item.key()) {
                    Some((_, edit)) => edit,
                    None => Some(item),
                };
                new.extend(kept.and_then(|item| chunker.push(item)));
            }
            if end.is_none() {
                for (_, edit) in edits.by_ref() {
                    new.extend(edit.and_then(|item| chunker.push(item)));
                }
            }
            if end.is_none() || chunker.at_boundary() {
                break;
            }
            cursor.advance(objects)?;
        }
        new.extend(chunker.flush());
        for child in &old {
            above.insert(child.last.clone(), None);
        }
        for chunk in new {
            above.insert(chunk.child.last.clone(), Some(chunk.child.clone()));
            if old.iter().all(|child| child.hash != chunk.child.hash) {
                made.push(chunk);
            }
        }
    }
    Ok(above)
}

/// A node of one level, with the path needed to reach the next node of the level.
struct Cursor {
    /// The inner nodes from the root down to the level above, with the position taken in each.
    path: Vec<(Vec<Child>, usize)>,
    child: Child,
}

impl Cursor {
    /// Returns the node of level `at` that holds `key` or would hold it.
    fn seek(objects: &dyn Objects, root: Hash, at: u8, key: &[u8]) -> Result<Self, ObjectError> {
        let mut path: Vec<(Vec<Child>, usize)> = Vec::new();
        let mut hash = root;
        loop {
            let node = Node::load(objects, &hash)?;
            if node.level() <= at {
                break;
            }
            let position = node.position(key).min(node.len().saturating_sub(1));
            let children = Child::of(node)?;
            hash = children.get(position).map_or(hash, |child| child.hash);
            path.push((children, position));
        }
        let child = match path.last().and_then(|(children, position)| children.get(*position)) {
            Some(child) => child.clone(),
            // The node is the root, so no level above needs its key.
            None => Child { last: Bytes::new(), hash: root, count: 0 },
        };
        Ok(Self { path, child })
    }

    fn is_last(&self) -> bool {
        self.path.iter().all(|(children, position)| position + 1 == children.len())
    }

    fn advance(&mut self, objects: &dyn Objects) -> Result<(), ObjectError> {
        let depth = self.path.len();
        while self.path.last().is_some_and(|(children, at)| at + 1 == children.len()) {
            self.path.pop();
        }
        if let Some((_, position)) = self.path.last_mut() {
            *position += 1;
        }
        while let Some(child) = self.path.last().and_then(|(children, at)| children.get(*at)) {
            if self.path.len() == depth {
                self.child = child.clone();
                return Ok(());
            }
            let children = Child::of(Node::load(objects, &child.hash)?)?;
            self.path.push((children, 0));
        }
        Err(ObjectError::Corrupt("a map's level"))
    }
}
