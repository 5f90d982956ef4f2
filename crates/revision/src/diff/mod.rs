//! Differences between two contents of a space as typed values. Equal parts are not read.
//!
//! The order of the changes depends only on the contents: pages by id (a move of a page before its
//! edit), pages reordered among the same siblings, files, reusable contents, variables, redirects,
//! sources. Derived data is not reported: reassigned order keys, the time of the last change, paths
//! and navigation.

mod reorder;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::content::{Content, Redirect};
use crate::map::Map;
use crate::object::{Hash, ObjectError, Objects};
use crate::record::{
    FileAttribute, FileRecord, PageAttribute, PageRecord, Record, ReusableAttribute,
    ReusableRecord, Variable,
};

pub(crate) use reorder::{KeyChange, moved_siblings};

/// One change, with the records of the old and the new content.
#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    /// A page was created.
    PageCreated(Box<PageRecord>),
    /// A page was deleted.
    PageDeleted(Box<PageRecord>),
    /// A page was moved to another parent or to another position among the same siblings.
    PageMoved(Box<Edit<PageRecord>>),
    /// Attributes of a page changed.
    PageEdited(Box<Edit<PageRecord>>, Vec<PageAttribute>),
    /// A file was created.
    FileCreated(FileRecord),
    /// A file was deleted.
    FileDeleted(FileRecord),
    /// Attributes of a file changed.
    FileEdited(Edit<FileRecord>, Vec<FileAttribute>),
    /// A reusable content was created.
    ReusableCreated(ReusableRecord),
    /// A reusable content was deleted.
    ReusableDeleted(ReusableRecord),
    /// Attributes of a reusable content changed.
    ReusableEdited(Edit<ReusableRecord>, Vec<ReusableAttribute>),
    /// Variables of the space changed; each has its value before and after.
    VariablesEdited(BTreeMap<String, Edit<Option<Variable>>>),
    /// The target of a redirect changed.
    RedirectEdited(String, Edit<Option<Redirect>>),
    /// A source that does not belong to a page changed.
    SourceEdited(String, Edit<Option<Hash>>),
}

/// A value before and after.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit<T> {
    /// The old value.
    pub before: T,
    /// The new value.
    pub after: T,
}

/// The first changes, and the number of the others.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Changes {
    /// The changes, up to the requested limit.
    pub changes: Vec<Change>,
    /// The number of further changes.
    pub more: u64,
}

impl Changes {
    fn push(&mut self, limit: usize, change: impl FnOnce() -> Change) {
        if self.changes.len() < limit {
            self.changes.push(change());
        } else {
            self.more += 1;
        }
    }
}

/// Returns the differences between `old` and `new`. At most `limit` changes are returned; the
/// others are only counted.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn diff(
    old: &Content,
    new: &Content,
    on: &dyn Objects,
    limit: usize,
) -> Result<Changes, ObjectError> {
    let mut found = Changes::default();
    pages(old, new, on, limit, &mut found)?;
    for (_, change) in records::<FileRecord>(&old.files, &new.files, on) {
        match change? {
            (None, Some(file)) => found.push(limit, || Change::FileCreated(file)),
            (Some(file), None) => found.push(limit, || Change::FileDeleted(file)),
            (Some(before), Some(after)) => {
                let attributes = before.differing(&after);
                found.push(limit, || Change::FileEdited(Edit { before, after }, attributes));
            }
            (None, None) => {}
        }
    }
    for (_, change) in records::<ReusableRecord>(&old.reusable, &new.reusable, on) {
        match change? {
            (None, Some(text)) => found.push(limit, || Change::ReusableCreated(text)),
            (Some(text), None) => found.push(limit, || Change::ReusableDeleted(text)),
            (Some(before), Some(after)) => {
                let attributes = before.differing(&after);
                found.push(limit, || Change::ReusableEdited(Edit { before, after }, attributes));
            }
            (None, None) => {}
        }
    }
    let variables = by_name(
        old.variables.iter().map(|(name, value)| (name.as_str(), value.clone())),
        new.variables.iter().map(|(name, value)| (name.as_str(), value.clone())),
    );
    if !variables.is_empty() {
        found.push(limit, || Change::VariablesEdited(variables));
    }
    for (path, change) in records::<Redirect>(&old.redirects, &new.redirects, on) {
        let (before, after) = change?;
        let path = String::from_utf8_lossy(&path).into_owned();
        found.push(limit, || Change::RedirectEdited(path, Edit { before, after }));
    }
    let sources = by_name(
        old.sources.iter().map(|(path, hash)| (path.as_str(), *hash)),
        new.sources.iter().map(|(path, hash)| (path.as_str(), *hash)),
    );
    for (path, edit) in sources {
        found.push(limit, || Change::SourceEdited(path, edit));
    }
    Ok(found)
}

fn pages(
    old: &Content,
    new: &Content,
    on: &dyn Objects,
    limit: usize,
    found: &mut Changes,
) -> Result<(), ObjectError> {
    let (mut rekeyed, mut left) = (Vec::new(), Vec::new());
    for (_, change) in records::<PageRecord>(&old.pages, &new.pages, on) {
        match change? {
            (None, Some(page)) => found.push(limit, || Change::PageCreated(Box::new(page))),
            (Some(page), None) => {
                left.push(page.child_key());
                found.push(limit, || Change::PageDeleted(Box::new(page)));
            }
            (Some(before), Some(after)) => {
                if before.parent != after.parent {
                    left.push(before.child_key());
                    let edit = Edit { before: before.clone(), after: after.clone() };
                    found.push(limit, || Change::PageMoved(Box::new(edit)));
                } else if before.order != after.order {
                    rekeyed.push(KeyChange::of(&before, &after));
                }
                let attributes = before.differing(&after);
                if !attributes.is_empty() {
                    let edit = Box::new(Edit { before, after });
                    found.push(limit, || Change::PageEdited(edit, attributes));
                }
            }
            (None, None) => {}
        }
    }
    for id in moved_siblings(&old.children, on, &rekeyed, left)? {
        if found.changes.len() >= limit {
            found.more += 1;
        } else if let (Some(before), Some(after)) = (old.page(on, id)?, new.page(on, id)?) {
            found.changes.push(Change::PageMoved(Box::new(Edit { before, after })));
        }
    }
    Ok(())
}

/// A record in the old and in the new map; `None` where it does not exist.
pub(crate) type Pair<R> = (Option<R>, Option<R>);

/// Returns the entries in which two maps differ, decoded as records.
pub(crate) fn records<'a, R: Record>(
    old: &Map,
    new: &Map,
    on: &'a dyn Objects,
) -> impl Iterator<Item = (bytes::Bytes, Result<Pair<R>, ObjectError>)> + use<'a, R> {
    let read = |bytes: Option<bytes::Bytes>| bytes.map(|bytes| R::decode(&bytes)).transpose();
    old.diff(new, on).map(move |difference| match difference {
        Ok(one) => (one.key, read(one.old).and_then(|old| Ok((old, read(one.new)?)))),
        Err(error) => (bytes::Bytes::new(), Err(error)),
    })
}

/// Returns the named values that differ.
fn by_name<'n, T: PartialEq>(
    old: impl Iterator<Item = (&'n str, T)>,
    new: impl Iterator<Item = (&'n str, T)>,
) -> BTreeMap<String, Edit<Option<T>>> {
    let mut edits: BTreeMap<String, Edit<Option<T>>> = BTreeMap::new();
    for (name, value) in old {
        edits.insert(name.to_owned(), Edit { before: Some(value), after: None });
    }
    for (name, value) in new {
        let edit = edits.entry(name.to_owned()).or_insert(Edit { before: None, after: None });
        edit.after = Some(value);
    }
    edits.retain(|_, edit| edit.before != edit.after);
    edits
}
