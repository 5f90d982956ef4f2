//! Reads Git trees one at a time, to find the entry at a path or the differences of two trees.
//! Reads only the folders along the path and the folders that differ.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gix_hash::{Kind as HashKind, ObjectId};
use gix_object::tree::EntryKind;
use gix_object::{Kind, TreeRefIter};

use crate::commit::{
    MAX_DEPTH, MAX_LISTING_BYTES, MAX_PATH_BYTES, MAX_TREE_BYTES, kind_of, name_problem,
};
use crate::folder::FolderEntryKind;
use crate::packs::{Packs, ReadError};

/// Maximum bytes of cached trees.
const MAX_CACHED_BYTES: usize = 16 << 20;

/// The trees of a repository.
pub(crate) struct Trees {
    packs: Arc<Packs>,
    cache: Mutex<TreeCache>,
}

#[derive(Default)]
struct TreeCache {
    trees: HashMap<ObjectId, Arc<Tree>>,
    bytes: usize,
}

/// The entries of one folder, sorted by name and without duplicates and invalid names.
pub(crate) struct Tree {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    /// Start and end of the name in the tree's bytes.
    name: (u32, u32),
    kind: EntryKind,
    id: ObjectId,
}

/// The state of a comparison.
struct Comparison {
    most: usize,
    paths: Vec<String>,
    /// Number of compared pairs of folders.
    folders: usize,
    /// Bytes of the compared folders and of the collected paths.
    bytes: usize,
}

impl Comparison {
    /// Counts a pair of folders. Returns `false` if the comparison exceeds its limits.
    fn count(&mut self, bytes: usize) -> bool {
        self.folders += 1;
        self.bytes += bytes;
        self.folders <= self.most && self.bytes <= MAX_LISTING_BYTES
    }
}

impl Tree {
    fn parse(id: &ObjectId, bytes: Vec<u8>) -> Result<Self, ReadError> {
        let malformed = || ReadError::new(id, "not a tree");
        let mut entries = Vec::new();
        let from = bytes.as_ptr().addr();
        for entry in TreeRefIter::from_bytes(&bytes, HashKind::Sha1) {
            let entry = entry.map_err(|_| malformed())?;
            if name_problem(entry.filename).is_some() {
                continue;
            }
            let start = entry.filename.as_ptr().addr() - from;
            let end = start + entry.filename.len();
            let name = (
                start.try_into().map_err(|_| malformed())?,
                end.try_into().map_err(|_| malformed())?,
            );
            entries.push(Entry { name, kind: entry.mode.kind(), id: entry.oid.to_owned() });
        }
        let name = |entry: &Entry| bytes.get(entry.name.0 as usize..entry.name.1 as usize);
        // Git sorts entries as paths. Of several entries with one name the first one counts.
        entries.sort_by(|a, b| name(a).cmp(&name(b)));
        entries.dedup_by(|a, b| name(a) == name(b));
        Ok(Self { bytes, entries })
    }

    fn name(&self, entry: &Entry) -> &[u8] {
        self.bytes.get(entry.name.0 as usize..entry.name.1 as usize).unwrap_or_default()
    }

    fn find(&self, name: &[u8]) -> Option<Entry> {
        let at = self.entries.binary_search_by(|entry| self.name(entry).cmp(name)).ok()?;
        self.entries.get(at).copied()
    }
}

impl Trees {
    pub(crate) fn new(packs: Arc<Packs>) -> Self {
        Self { packs, cache: Mutex::default() }
    }

    /// Returns a tree, from the cache or the packs.
    pub(crate) fn get(&self, id: &ObjectId) -> Result<Arc<Tree>, ReadError> {
        let cache = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tree) = cache().trees.get(id) {
            return Ok(Arc::clone(tree));
        }
        let (kind, bytes) = self.packs.read(id)?;
        if kind != Kind::Tree {
            return Err(ReadError::new(id, "not a tree"));
        }
        if bytes.len() > MAX_TREE_BYTES {
            return Err(ReadError::new(id, "the tree is too large"));
        }
        let tree = Arc::new(Tree::parse(id, bytes)?);
        let mut cache = cache();
        if cache.bytes > MAX_CACHED_BYTES {
            *cache = TreeCache::default();
        }
        cache.bytes += tree.bytes.len() + tree.entries.len() * size_of::<Entry>();
        cache.trees.insert(*id, Arc::clone(&tree));
        Ok(tree)
    }

    /// Returns the id and the kind of the entry at a path below a tree, unless the entry is a
    /// folder.
    pub(crate) fn find(
        &self,
        root: ObjectId,
        path: &str,
    ) -> Result<Option<(ObjectId, FolderEntryKind)>, ReadError> {
        let mut tree = root;
        let mut parts = path.split('/').peekable();
        for _ in 0..=MAX_DEPTH {
            let Some(part) = parts.next() else { break };
            let Some(entry) = self.get(&tree)?.find(part.as_bytes()) else { break };
            match (kind_of(entry.kind), parts.peek()) {
                (None, Some(_)) => tree = entry.id,
                (Some(kind), None) => return Ok(Some((entry.id, kind))),
                _ => break,
            }
        }
        Ok(None)
    }

    /// Returns the sorted paths at which two trees differ, or `None` if there are more than `most`.
    pub(crate) fn changes(
        &self,
        old: ObjectId,
        new: ObjectId,
        most: usize,
    ) -> Result<Option<Vec<String>>, ReadError> {
        let mut found = Comparison { most, paths: Vec::new(), folders: 0, bytes: 0 };
        let whole = self.compare(Some(old), Some(new), &mut Vec::new(), 0, &mut found)?;
        found.paths.sort_unstable();
        Ok(whole.then_some(found.paths))
    }

    /// Compares two trees, one of which may be absent. Returns `false` if the comparison exceeds
    /// its limits.
    fn compare(
        &self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        prefix: &mut Vec<u8>,
        depth: usize,
        found: &mut Comparison,
    ) -> Result<bool, ReadError> {
        if old == new || depth > MAX_DEPTH {
            return Ok(true);
        }
        let read = |id: Option<ObjectId>| id.map(|id| self.get(&id)).transpose();
        let (old, new) = (read(old)?, read(new)?);
        let size = |tree: &Option<Arc<Tree>>| tree.as_ref().map_or(0, |tree| tree.bytes.len());
        if !found.count(size(&old) + size(&new)) {
            return Ok(false);
        }
        let entries = |tree: &Option<Arc<Tree>>| tree.as_ref().map_or(0, |tree| tree.entries.len());
        let at = |tree: &Option<Arc<Tree>>, at: usize| {
            tree.as_ref().and_then(|tree| tree.entries.get(at).copied())
        };
        let (mut before, mut after) = (0, 0);
        while before < entries(&old) || after < entries(&new) {
            let (was, is) = (at(&old, before), at(&new, after));
            let name = |tree: &Option<Arc<Tree>>, entry: &Entry| {
                tree.as_ref().map(|tree| tree.name(entry).to_vec()).unwrap_or_default()
            };
            let order = match (&old, &was, &new, &is) {
                (Some(old), Some(was), Some(new), Some(is)) => old.name(was).cmp(new.name(is)),
                (_, Some(_), _, None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let was = was.filter(|_| order.is_le());
            let is = is.filter(|_| order.is_ge());
            before += usize::from(was.is_some());
            after += usize::from(is.is_some());
            let same =
                matches!((&was, &is), (Some(a), Some(b)) if a.id == b.id && a.kind == b.kind);
            if same {
                continue;
            }
            let name = match (&was, &is) {
                (Some(was), _) => name(&old, was),
                (None, Some(is)) => name(&new, is),
                (None, None) => return Ok(true),
            };
            let from = prefix.len();
            prefix.extend_from_slice(&name);
            // Listings omit longer paths as well.
            let whole = prefix.len() > MAX_PATH_BYTES
                || self.record_difference(was, is, prefix, depth, found)?;
            prefix.truncate(from);
            if !whole {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Records a name that differs, or the differences below it.
    fn record_difference(
        &self,
        was: Option<Entry>,
        is: Option<Entry>,
        prefix: &mut Vec<u8>,
        depth: usize,
        found: &mut Comparison,
    ) -> Result<bool, ReadError> {
        let is_file = |entry: &Entry| kind_of(entry.kind).is_some();
        if was.as_ref().is_some_and(is_file) || is.as_ref().is_some_and(is_file) {
            found.bytes += prefix.len();
            if found.paths.len() >= found.most || found.bytes > MAX_LISTING_BYTES {
                return Ok(false);
            }
            // Listings omit names that are not UTF-8 as well.
            if let Ok(path) = std::str::from_utf8(prefix) {
                found.paths.push(path.to_owned());
            }
        }
        let tree = |entry: Option<Entry>| entry.filter(|entry| !is_file(entry)).map(|e| e.id);
        prefix.push(b'/');
        self.compare(tree(was), tree(is), prefix, depth + 1, found)
    }
}
