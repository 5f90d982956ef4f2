//! Edits of trees: new trees for the folders along changed paths, everything else as it is.

use std::collections::BTreeMap;

use gix_hash::ObjectId;
use gix_object::Kind;

use super::ExportError;
use super::pack::NewObjects;
use crate::commit::{MAX_DEPTH, MAX_TREE_BYTES, name_problem};
use crate::packs::{Packs, ReadError};

/// The mode of a new file.
const FILE: &[u8] = b"100644";
/// The mode of a folder.
const FOLDER: &[u8] = b"40000";

/// The changes of the entries of a folder, by name.
#[derive(Default)]
pub(super) struct Edits(BTreeMap<Vec<u8>, Edit>);

enum Edit {
    /// A file with this content. An existing file keeps its mode.
    File(ObjectId),
    Delete,
    Folder(Edits),
}

/// A path that cannot be written, because a file is where a folder is needed or the reverse.
#[derive(Debug)]
pub(super) struct Blocked(pub(super) String);

/// The reason why a tree was not written.
#[derive(Debug)]
pub(super) enum TreeProblem {
    Blocked(Blocked),
    Failed(ExportError),
}

impl From<ReadError> for TreeProblem {
    fn from(error: ReadError) -> Self {
        Self::Failed(error.into())
    }
}

/// An entry of a tree as it is stored.
struct Stored {
    mode: Vec<u8>,
    name: Vec<u8>,
    id: ObjectId,
}

impl Stored {
    fn is_folder(&self) -> bool {
        self.mode == FOLDER || self.mode == b"040000"
    }

    /// Returns the key by which Git sorts the entry: folders as if their names ended with a slash.
    fn key(&self) -> Vec<u8> {
        let mut key = self.name.clone();
        if self.is_folder() {
            key.push(b'/');
        }
        key
    }
}

impl Edits {
    /// Adds a change at a path: a file with a content, or a deletion. Returns the path if it cannot
    /// be a path of Git, or if another change needs a folder there.
    pub(super) fn set(&mut self, path: &str, file: Option<ObjectId>) -> Result<(), Blocked> {
        let blocked = || Blocked(path.to_owned());
        let mut folder = self;
        let mut parts = path.split('/').peekable();
        for _ in 0..=MAX_DEPTH {
            let Some(part) = parts.next() else { return Err(blocked()) };
            if name_problem(part.as_bytes()).is_some() {
                return Err(blocked());
            }
            let name = part.as_bytes().to_vec();
            if parts.peek().is_none() {
                let edit = file.map_or(Edit::Delete, Edit::File);
                return match folder.0.get(&name) {
                    Some(Edit::Folder(_)) if file.is_none() => Ok(()),
                    Some(Edit::Folder(_)) => Err(blocked()),
                    _ => {
                        folder.0.insert(name, edit);
                        Ok(())
                    }
                };
            }
            let place = folder.0.entry(name).or_insert_with(|| Edit::Folder(Self::default()));
            // A file that is deleted makes way for a folder.
            if matches!(place, Edit::Delete) {
                *place = Edit::Folder(Self::default());
            }
            match place {
                Edit::Folder(edits) => folder = edits,
                _ => return Err(blocked()),
            }
        }
        Err(blocked())
    }

    /// Returns the tree with the changes; `None` if it has no entries. `base` is the present tree.
    /// New trees are added to `objects`.
    pub(super) fn write(
        self,
        base: Option<ObjectId>,
        packs: Option<&Packs>,
        objects: &mut NewObjects,
    ) -> Result<Option<ObjectId>, TreeProblem> {
        self.write_below(base, packs, objects, &mut String::new())
    }

    fn write_below(
        self,
        base: Option<ObjectId>,
        packs: Option<&Packs>,
        objects: &mut NewObjects,
        path: &mut String,
    ) -> Result<Option<ObjectId>, TreeProblem> {
        let mut entries: BTreeMap<Vec<u8>, Stored> = BTreeMap::new();
        let stored = match (&base, packs) {
            (Some(base), Some(packs)) => read(packs, base)?,
            _ => Vec::new(),
        };
        let mut names: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
        for entry in stored {
            names.insert(entry.name.clone(), entry.key());
            entries.insert(entry.key(), entry);
        }
        for (name, edit) in self.0 {
            let old = names.get(&name).and_then(|key| entries.remove(key));
            let from = path.len();
            path.push_str(&String::from_utf8_lossy(&name));
            let blocked = || TreeProblem::Blocked(Blocked(path.clone()));
            let new = match (edit, old) {
                (Edit::Delete, Some(old)) if old.is_folder() => Some(old),
                (Edit::Delete, _) => None,
                (Edit::File(_), Some(old)) if old.is_folder() => return Err(blocked()),
                (Edit::File(id), Some(old)) => Some(Stored { id, ..old }),
                (Edit::File(id), None) => Some(Stored { mode: FILE.to_vec(), name, id }),
                (Edit::Folder(edits), Some(old)) if !old.is_folder() => {
                    if !edits.only_deletes() {
                        return Err(blocked());
                    }
                    Some(old)
                }
                (Edit::Folder(edits), old) => {
                    path.push('/');
                    let base = old.as_ref().map(|old| old.id);
                    let id = edits.write_below(base, packs, objects, path)?;
                    let mode = old.map_or_else(|| FOLDER.to_vec(), |old| old.mode);
                    id.map(|id| Stored { mode, name, id })
                }
            };
            path.truncate(from);
            entries.extend(new.map(|new| (new.key(), new)));
        }
        if entries.is_empty() {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        for Stored { mode, name, id } in entries.into_values() {
            bytes.extend_from_slice(&mode);
            bytes.push(b' ');
            bytes.extend_from_slice(&name);
            bytes.push(0);
            bytes.extend_from_slice(id.as_slice());
        }
        let id = objects.tree(bytes, base).map_err(TreeProblem::Failed)?;
        Ok(Some(id))
    }

    fn only_deletes(&self) -> bool {
        self.0.values().all(|edit| match edit {
            Edit::Delete => true,
            Edit::File(_) => false,
            Edit::Folder(edits) => edits.only_deletes(),
        })
    }
}

/// Reads the entries of a tree as they are stored.
fn read(packs: &Packs, id: &ObjectId) -> Result<Vec<Stored>, ReadError> {
    let malformed = || ReadError::new(id, "not a tree");
    let (kind, bytes) = packs.read(id)?;
    if kind != Kind::Tree {
        return Err(malformed());
    }
    if bytes.len() > MAX_TREE_BYTES {
        return Err(ReadError::new(id, "the tree is too large"));
    }
    let mut entries = Vec::new();
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let space = memchr::memchr(b' ', rest).ok_or_else(malformed)?;
        let (mode, after) = rest.split_at(space);
        let end = memchr::memchr(0, after).ok_or_else(malformed)?;
        let name = after.get(1..end).ok_or_else(malformed)?;
        let (id, after) = after
            .get(end + 1..)
            .and_then(|rest| rest.split_at_checked(20))
            .ok_or_else(malformed)?;
        let id = ObjectId::try_from(id).map_err(|_| malformed())?;
        entries.push(Stored { mode: mode.to_vec(), name: name.to_vec(), id });
        rest = after;
    }
    Ok(entries)
}
