//! The three-way merge of contents. Its cost depends on the size of the changes of both sides.
//!
//! [`merge()`] always returns a valid content: a tree without cycles, distinct slugs among
//! siblings, every page reachable. A change that cannot be combined becomes a [`Conflict`] in the
//! content's `conflicts` with the values of both sides. The content itself holds the value of one
//! side, so that it can be read, edited and merged like any other. A conflict stays until it is
//! resolved with [`resolve()`], or until [`settle`] finds that an edit has replaced the value.
//!
//! The rules are:
//!
//! - **One side changed it, or both made the same change:** the change is made once.
//! - **Both sides changed an attribute differently:** a conflict; the content has ours. Layout and
//!   cover are merged by field, variables by name, tags as a set. A file's bytes are merged
//!   together with its type, length and dimensions.
//! - **Both sides changed a document:** it is merged by [`MergeBodies`], part by part if it can.
//! - **One side deleted it, the other changed it** (an attribute, the document, or the parent): it
//!   is kept as changed, with a conflict. Items that were not changed are deleted, including those
//!   around it. A move among the same siblings does not prevent a deletion.
//! - **The parent of a page is deleted** (and the page was added, moved there or changed): the page
//!   is placed under the nearest ancestor that is left, at the position of the deleted parent, with
//!   a conflict about its position. If the page was deleted too, the conflict about its existence
//!   records its old position instead.
//! - **Both sides moved a page under different parents:** a conflict; it is placed as we did.
//! - **Both sides moved pages under each other, which would form a cycle:** every moved page of the
//!   cycle is a conflict. Those that only they moved are placed as we have them.
//! - **Order:** the siblings that neither side moved are the frame. Between two of them, the pages
//!   that each side placed there form a run; runs stay together, and the run whose first page is
//!   older comes first. Two different positions of a page in one frame are a conflict; it is placed
//!   as we did. A reassigned order key is not a move.
//! - **Two pages under one parent have the same slug, or two sources the same path:** a number is
//!   appended to that of the younger one. This loses nothing, so it is reported but not a conflict.
//! - **Both sides changed a variable, redirect or source differently:** a conflict; the content has
//!   ours.
//! - **Both sides created an item with the same id:** it is merged with an empty base.
//! - **A side has open conflicts:** they are kept. If the other side continues from the value that
//!   it has in a conflict, the conflict is updated; if both sides now agree, it is removed.

mod bodies;
mod conflict;
mod dates;
#[cfg(test)]
pub(crate) mod fixture;
mod items;
mod open_conflicts;
mod order;
mod pages;
mod parents;
mod paths;
mod resolve;
mod slugs;
#[cfg(test)]
mod tests;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use bindery_model::PageId;
use bytes::Bytes;

pub use bodies::{MergeBodies, MergedBody, PartConflict, WholeBodies};
pub use conflict::{
    Conflict, FileSubject, PagePosition, PageSubject, ReusableSubject, Sides, Subject, Value,
};
pub use dates::date_changes;
pub use open_conflicts::{conflicts, conflicts_of_page, settle, settle_page};
pub use resolve::{Choice, ResolveError, resolve, resolve_all};
pub(crate) use value::ThreeWay;

use crate::content::{Content, Redirect};
use crate::diff::records;
use crate::object::{Hash, ObjectError, Objects, Staging};
use crate::record::{FileRecord, Record, ReusableRecord, Variable};
use crate::tree::{Change, TreeError, write};
use items::Items;
use pages::ChangedPage;

/// The result of a merge.
#[derive(Clone, PartialEq, Debug)]
pub struct MergeResult {
    /// The merged content with all of its open conflicts.
    pub content: Content,
    /// The new conflicts of this merge, ordered by subject.
    pub conflicts: Vec<Conflict>,
    /// Pages whose slug was changed because a sibling has the same one, ordered by page.
    pub renumbered: Vec<RenumberedPage>,
}

/// A page to whose slug a number was appended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RenumberedPage {
    /// The page.
    pub page: PageId,
    /// The slug in the content of the page's side.
    pub wanted: String,
    /// The slug in the merged content.
    pub slug: String,
}

/// Merges the changes of `theirs` since `base` into `ours`. New objects are added to `staging`,
/// through which the objects of the three contents are read as well.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn merge(
    base: &Content,
    ours: &Content,
    theirs: &Content,
    staging: &mut Staging<'_>,
    bodies: &mut dyn MergeBodies,
) -> Result<MergeResult, TreeError> {
    merge_sides([base, ours, theirs], staging, bodies, false)
}

/// Merges the changes of `theirs` since `base` into the content of a repository, whose files exist
/// already. Works like [`merge()`], except that of two new sources with the same path, the one of the
/// repository keeps it.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn merge_into_repository(
    base: &Content,
    repository: &Content,
    theirs: &Content,
    staging: &mut Staging<'_>,
    bodies: &mut dyn MergeBodies,
) -> Result<MergeResult, TreeError> {
    merge_sides([base, repository, theirs], staging, bodies, true)
}

fn merge_sides(
    [base, ours, theirs]: [&Content; 3],
    staging: &mut Staging<'_>,
    bodies: &mut dyn MergeBodies,
    keeps_our_paths: bool,
) -> Result<MergeResult, TreeError> {
    let unchanged = |content: &Content| MergeResult {
        content: content.clone(),
        conflicts: Vec::new(),
        renumbered: Vec::new(),
    };
    if theirs == base || ours == theirs {
        return Ok(unchanged(ours));
    }
    if ours == base {
        return Ok(unchanged(theirs));
    }
    let mut merger = Merger {
        base,
        ours,
        theirs,
        staging,
        bodies,
        keeps_our_paths,
        pages: BTreeMap::new(),
        files: BTreeMap::new(),
        reusable: BTreeMap::new(),
        conflicts: BTreeMap::new(),
    };
    merger.read_pages()?;
    merger.lift_orphans();
    merger.break_cycles()?;
    merger.order_siblings()?;
    let renumbered = merger.number_slugs()?;
    merger.read_items()?;
    merger.number_paths()?;
    merger.write(renumbered)
}

/// One of the two sides of a merge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Side {
    Ours,
    Theirs,
}

impl Side {
    const BOTH: [Self; 2] = [Self::Ours, Self::Theirs];

    const fn other(self) -> Self {
        match self {
            Self::Ours => Self::Theirs,
            Self::Theirs => Self::Ours,
        }
    }
}

/// The state of a merge.
struct Merger<'m, 's> {
    base: &'m Content,
    ours: &'m Content,
    theirs: &'m Content,
    staging: &'m mut Staging<'s>,
    bodies: &'m mut dyn MergeBodies,
    /// `true` if paths of `ours` have precedence over new paths of `theirs`.
    keeps_our_paths: bool,
    /// All pages that a side changed.
    pages: BTreeMap<PageId, ChangedPage>,
    files: Items<FileRecord>,
    reusable: Items<ReusableRecord>,
    conflicts: BTreeMap<Subject, Sides<Value>>,
}

impl<'m> Merger<'m, '_> {
    const fn side(&self, side: Side) -> &'m Content {
        match side {
            Side::Ours => self.ours,
            Side::Theirs => self.theirs,
        }
    }

    /// Records a conflict. Only the first conflict about a subject is recorded.
    fn conflict(&mut self, subject: Subject, sides: Sides<Value>) {
        self.conflicts.entry(subject).or_insert(sides);
    }

    fn write(mut self, renumbered: Vec<RenumberedPage>) -> Result<MergeResult, TreeError> {
        let mut changes = Vec::new();
        let mut deleted = Vec::new();
        for (id, entry) in std::mem::take(&mut self.pages) {
            match entry.merged {
                Some(merged) if entry.ours.as_ref() != Some(&merged) => {
                    changes.push(Change::Put(Box::new(merged)));
                }
                Some(_) => {}
                None => {
                    deleted.push(id);
                    if entry.ours.is_some() {
                        changes.push(Change::Delete(id));
                    }
                }
            }
        }
        let mut content = self.ours.clone();
        let (left, taken) = self.write_items(&mut content)?;
        // Paths that become free are removed first and new paths are added last, so that a file can
        // take over the path of a page and vice versa.
        content.paths = content.paths.apply(self.staging, left)?;
        content = write(&content, self.staging, changes)?;
        content.paths = content.paths.apply(self.staging, taken)?;
        content.redirects = self.redirects()?;
        content.variables = self.variables();
        content.sources = self.sources();
        let found = std::mem::take(&mut self.conflicts);
        let conflicts: Vec<Conflict> =
            found.into_iter().map(|(subject, sides)| Conflict::new(subject, sides)).collect();
        content.conflicts = self.merge_open_conflicts(&conflicts, &deleted)?;
        Ok(MergeResult { content, conflicts, renumbered })
    }

    fn redirects(&mut self) -> Result<crate::Map, ObjectError> {
        let staging: &dyn Objects = self.staging;
        let mut edits = Vec::new();
        let mut clashes = Vec::new();
        for (path, pair) in
            records::<Redirect>(&self.base.redirects, &self.theirs.redirects, staging)
        {
            let (base, theirs) = pair?;
            let ours = self.ours.redirects.get(staging, &path)?;
            let ours = ours.map(|bytes| Redirect::decode(&bytes)).transpose()?;
            let (merged, clash) = value::merge_value(Some(&base), &ours, &theirs);
            if clash {
                let path = String::from_utf8_lossy(&path).into_owned();
                clashes.push((Subject::Redirect(path), Sides { base, ours, theirs }));
            } else if merged != ours {
                edits.push((path, merged.map(|to| to.encode()).transpose()?));
            }
        }
        for (subject, sides) in clashes {
            self.conflict(subject, sides.map(Value::Redirect));
        }
        self.ours.redirects.apply(self.staging, edits)
    }

    fn variables(&mut self) -> BTreeMap<String, Variable> {
        let (base, ours, theirs) =
            (&self.base.variables, &self.ours.variables, &self.theirs.variables);
        let names: BTreeSet<&String> =
            base.keys().chain(ours.keys()).chain(theirs.keys()).collect();
        let mut merged = BTreeMap::new();
        for name in names {
            let sides = (base.get(name), ours.get(name), theirs.get(name));
            let (value, clash) = value::merge_value(Some(&sides.0), &sides.1, &sides.2);
            if let Some(value) = value {
                merged.insert(name.clone(), value.clone());
            }
            if clash {
                let sides = Sides { base: sides.0, ours: sides.1, theirs: sides.2 };
                let sides = sides.map(|value| Value::Variable(value.clone()));
                self.conflict(Subject::Variable(name.clone()), sides);
            }
        }
        merged
    }

    fn sources(&mut self) -> Vec<(String, Hash)> {
        let by_path = |content: &'m Content| -> BTreeMap<&'m String, Hash> {
            content.sources.iter().map(|(path, hash)| (path, *hash)).collect()
        };
        let (base, ours, theirs) = (by_path(self.base), by_path(self.ours), by_path(self.theirs));
        let paths: BTreeSet<&String> =
            base.keys().chain(ours.keys()).chain(theirs.keys()).copied().collect();
        let mut merged = Vec::new();
        for path in paths {
            let get = |side: &BTreeMap<&String, Hash>| side.get(path).copied();
            let sides = Sides { base: get(&base), ours: get(&ours), theirs: get(&theirs) };
            let (value, clash) = value::merge_value(Some(&sides.base), &sides.ours, &sides.theirs);
            merged.extend(value.map(|hash| (path.clone(), hash)));
            if clash {
                self.conflict(Subject::Source(path.clone()), sides.map(Value::Source));
            }
        }
        merged
    }
}

/// Edits of the map of paths.
type PathEdits = Vec<(Bytes, Option<Bytes>)>;
