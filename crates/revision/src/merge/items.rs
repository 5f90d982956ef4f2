//! Merging files and reusable contents.

use std::collections::BTreeMap;

use bindery_model::{FileId, Id, ReusableContentId};
use bytes::Bytes;

use super::conflict::{FileSubject, ReusableSubject, Sides, Subject, Value};
use super::{Merger, PathEdits};
use crate::content::{Content, PathEntry};
use crate::diff::records;
use crate::map::{Edit, Map};
use crate::object::{ObjectError, Objects};
use crate::record::{FileAttribute, FileRecord, Record, ReusableAttribute, ReusableRecord};

/// The versions of an item in the three contents, and the merged version.
#[derive(Debug)]
pub(super) struct Item<R> {
    pub(super) base: Option<R>,
    pub(super) ours: Option<R>,
    pub(super) theirs: Option<R>,
    pub(super) merged: Option<R>,
}

/// All items of a kind that a side changed, by id.
pub(super) type Items<R> = BTreeMap<Id, Item<R>>;

/// A record with an id and an optional path in the repository.
pub(super) trait ItemRecord: Record + Clone + PartialEq {
    fn id(&self) -> Id;
    fn path(&self) -> Option<&String>;
    fn set_path(&mut self, path: String);
    fn entry(&self) -> PathEntry;
}

impl ItemRecord for FileRecord {
    fn id(&self) -> Id {
        self.id.id()
    }
    fn path(&self) -> Option<&String> {
        self.path.as_ref()
    }
    fn set_path(&mut self, path: String) {
        self.path = Some(path);
    }
    fn entry(&self) -> PathEntry {
        PathEntry::File(self.id)
    }
}

impl ItemRecord for ReusableRecord {
    fn id(&self) -> Id {
        self.id.id()
    }
    fn path(&self) -> Option<&String> {
        self.path.as_ref()
    }
    fn set_path(&mut self, path: String) {
        self.path = Some(path);
    }
    fn entry(&self) -> PathEntry {
        PathEntry::Reusable(self.id)
    }
}

impl Merger<'_, '_> {
    /// Reads the changes of both sides, and merges each file and reusable content.
    pub(super) fn read_items(&mut self) -> Result<(), ObjectError> {
        let maps = [&self.base.files, &self.ours.files, &self.theirs.files];
        let mut files = read::<FileRecord>(maps, &*self.staging)?;
        for (id, item) in &mut files {
            self.decide_file(FileId::new(*id), item);
        }
        self.files = files;
        let maps = [&self.base.reusable, &self.ours.reusable, &self.theirs.reusable];
        let mut reusable = read::<ReusableRecord>(maps, &*self.staging)?;
        for (id, item) in &mut reusable {
            self.decide_reusable(ReusableContentId::new(*id), item)?;
        }
        self.reusable = reusable;
        Ok(())
    }

    fn decide_file(&mut self, id: FileId, item: &mut Item<FileRecord>) {
        let (Some(ours), Some(theirs)) = (&item.ours, &item.theirs) else {
            if item.keep_changed() {
                let subject = Subject::File(id, FileSubject::Existence);
                self.conflict(subject, item.sides(Value::File));
            }
            return;
        };
        let base = item.base.as_ref();
        let (mut merged, clashes) = ours.merge_attributes(base, theirs);
        if clashes.contains(&FileAttribute::Hash) {
            merged.copy_bytes_from(ours);
            let subject = Subject::File(id, FileSubject::Bytes);
            self.conflict(subject, item.sides(Value::File));
        } else {
            for attribute in clashes {
                let sides = item.sides(|file| Value::FileAttribute(file.get(attribute)));
                self.conflict(Subject::File(id, FileSubject::Attribute(attribute)), sides);
            }
        }
        item.merged = Some(merged);
    }

    fn decide_reusable(
        &mut self,
        id: ReusableContentId,
        item: &mut Item<ReusableRecord>,
    ) -> Result<(), ObjectError> {
        let (Some(ours), Some(theirs)) = (&item.ours, &item.theirs) else {
            if item.keep_changed() {
                let subject = Subject::Reusable(id, ReusableSubject::Existence);
                self.conflict(subject, item.sides(Value::Reusable));
            }
            return Ok(());
        };
        let base = item.base.as_ref();
        let (mut merged, clashes) = ours.merge_attributes(base, theirs);
        for attribute in clashes {
            if attribute == ReusableAttribute::Document
                && let (Some(a), Some(b)) = (ours.body, theirs.body)
            {
                let base = base.and_then(|base| base.body);
                let subject = |part| Subject::Reusable(id, ReusableSubject::Part(part));
                merged.body = Some(self.merge_body(base, a, b, subject)?);
                continue;
            }
            let sides = item.sides(|text| Value::ReusableAttribute(text.get(attribute)));
            self.conflict(Subject::Reusable(id, ReusableSubject::Attribute(attribute)), sides);
        }
        item.merged = Some(merged);
        Ok(())
    }

    /// Writes the merged files and reusable contents. Returns the paths that become free and the
    /// paths that are taken.
    pub(super) fn write_items(
        &mut self,
        content: &mut Content,
    ) -> Result<(PathEdits, PathEdits), ObjectError> {
        let (mut freed, mut taken) = (PathEdits::new(), PathEdits::new());
        let files = edits(&self.files, content, &*self.staging, &mut freed, &mut taken)?;
        content.files = content.files.apply(self.staging, files)?;
        let reusable = edits(&self.reusable, content, &*self.staging, &mut freed, &mut taken)?;
        content.reusable = content.reusable.apply(self.staging, reusable)?;
        Ok((freed, taken))
    }
}

impl FileRecord {
    /// Copies another file's bytes together with their type, length and dimensions.
    pub(super) fn copy_bytes_from(&mut self, other: &Self) {
        self.hash = other.hash;
        self.size = other.size;
        self.content_type.clone_from(&other.content_type);
        self.dimensions = other.dimensions;
    }
}

impl<R: ItemRecord> Item<R> {
    fn sides<V>(&self, value: impl Fn(R) -> V) -> Sides<V> {
        let Self { base, ours, theirs, merged: _ } = self;
        Sides { base: base.clone(), ours: ours.clone(), theirs: theirs.clone() }.map(value)
    }

    /// Keeps an item that one side created or changed and the other does not have. Returns `true`
    /// if this is a conflict.
    fn keep_changed(&mut self) -> bool {
        let left = self.ours.as_ref().or(self.theirs.as_ref());
        let changed = left.is_some() && left != self.base.as_ref();
        self.merged = left.filter(|_| changed).cloned();
        changed && self.base.is_some()
    }
}

fn read<R: ItemRecord>(
    [base, ours, theirs]: [&Map; 3],
    on: &dyn Objects,
) -> Result<Items<R>, ObjectError> {
    let mut items = Items::new();
    for (_, pair) in records::<R>(base, ours, on) {
        let (base, ours) = pair?;
        if let Some(id) = base.as_ref().or(ours.as_ref()).map(R::id) {
            items.insert(id, Item { theirs: base.clone(), base, ours, merged: None });
        }
    }
    for (_, pair) in records::<R>(base, theirs, on) {
        let (base, theirs) = pair?;
        if let Some(id) = base.as_ref().or(theirs.as_ref()).map(R::id) {
            let new = || Item { ours: base.clone(), base, theirs: None, merged: None };
            items.entry(id).or_insert_with(new).theirs = theirs;
        }
    }
    Ok(items)
}

fn edits<R: ItemRecord>(
    items: &Items<R>,
    content: &Content,
    on: &dyn Objects,
    freed: &mut PathEdits,
    taken: &mut PathEdits,
) -> Result<Vec<Edit>, ObjectError> {
    let mut edits = Vec::new();
    for (id, Item { ours, merged, .. }) in items {
        if ours == merged {
            continue;
        }
        let was = ours.as_ref().and_then(|item| Some((item.path()?.clone(), item.entry())));
        let path = merged.as_ref().and_then(R::path);
        if let Some((was, entry)) = was
            && path != Some(&was)
            && content.at_path(on, &was)? == Some(entry)
        {
            freed.push((was.into(), None));
        }
        if let (Some(path), Some(item)) = (path, merged) {
            taken.push((path.clone().into(), Some(item.entry().encode()?)));
        }
        let value = merged.as_ref().map(Record::encode).transpose()?;
        edits.push((Bytes::copy_from_slice(id.as_str().as_bytes()), value));
    }
    Ok(edits)
}
