//! The three-way merge of contents, at a cost of what the two sides changed.
//!
//! [`merge()`] always gives a content that holds: a tree without cycles, slugs that differ among
//! siblings, every page reachable. What cannot be decided is a [`Conflict`] in the content's
//! `conflicts`, with what each side has; the content itself then holds one of the sides, so that
//! it can be read, edited and merged like any other. A conflict stays until somebody
//! [`resolve()`]s it, or [`settle`] finds that an edit has given its subject another value.
//!
//! What is decided how:
//!
//! - **One side changed it:** that side has its way. **Both made the same change:** it is made once.
//! - **An attribute that both changed differently** is a conflict and holds ours. Layout and cover
//!   are merged part by part, variables by name, tags as a set; a file's bytes go with their type,
//!   length and dimensions.
//! - **A text that both changed** is merged by [`MergeBodies`], part by part if it can.
//! - **Deleted by one, changed by the other** (an attribute, its text, or moved under another
//!   parent): it stays as it was changed, with a conflict. What was not changed is deleted, also
//!   around it. Another place among the same siblings is no change that stops a deletion.
//! - **A page whose parent is gone** (added there, moved there, or changed there while the parent
//!   was deleted) stands under the nearest ancestor that is left, where the deleted one stood, with
//!   a conflict about its place (if it was deleted too, the conflict about its existence says
//!   where it was).
//! - **Moved under two different parents:** a conflict; it stands where we put it.
//! - **Moved under each other, so that they would form a circle:** every moved page of the circle
//!   is a conflict; those that only they moved stand where we have them.
//! - **Order:** the siblings that no side moved are the frame; between two of them stands what
//!   either side put there, in runs that stay together, the run whose first page is older first.
//!   Moved to two different places of one frame: a conflict; it stands where we put it. Keys that
//!   were only spread anew are no move.
//! - **One slug for two pages** of a parent, **one path for two sources**: the younger one gets a
//!   number. Nothing is lost by that, so it is reported and no conflict.
//! - **Variables, redirects, sources** that both changed differently are conflicts and hold ours.
//! - **Made by both under one id:** merged as if nothing had been there.
//! - **Conflicts that a side brings along** stay. Where the other side goes on from what it had in
//!   the conflict, the conflict goes on with it, and ends where both sides now agree.

mod bodies;
mod carry;
mod conflict;
mod items;
mod order;
mod pages;
mod paths;
mod place;
mod resolve;
mod slugs;
#[cfg(test)]
mod tests;
mod value;
#[cfg(test)]
pub(crate) mod world;

use std::collections::{BTreeMap, BTreeSet};

use bindery_model::PageId;
use bytes::Bytes;

pub use bodies::{MergeBodies, MergedBody, PartConflict, WholeBodies};
pub use carry::{conflicts, conflicts_of_page, decide, settle};
pub use conflict::{
    Conflict, FileSubject, PageSubject, Place, ReusableSubject, Sides, Subject, Value,
};
pub use resolve::{Choice, ResolveError, resolve, resolve_all};
pub(crate) use value::ThreeWay;

use crate::content::{Content, Redirect};
use crate::diff::records;
use crate::object::{Hash, ObjectError, Objects, Staging};
use crate::record::{FileRecord, Record, ReusableRecord, Variable};
use crate::tree::{Change, TreeError, write};
use items::Items;
use pages::Entry;

/// What a merge gives.
#[derive(Clone, PartialEq, Debug)]
pub struct Merged {
    /// The merged content, with all conflicts that are open in it.
    pub content: Content,
    /// The conflicts that this merge found, in the order of their subjects.
    pub conflicts: Vec<Conflict>,
    /// Pages that got another slug than they had, as a sibling has theirs, by page.
    pub renumbered: Vec<Renumbered>,
}

/// A page whose slug got a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Renumbered {
    /// The page.
    pub page: PageId,
    /// The slug that its side gave it.
    pub wanted: String,
    /// The slug that it got.
    pub slug: String,
}

/// Merges what `theirs` changed since `base` into `ours`. New objects go to `staging`, which also
/// reads those of the three contents.
///
/// # Errors
/// When an object cannot be read.
pub fn merge(
    base: &Content,
    ours: &Content,
    theirs: &Content,
    staging: &mut Staging<'_>,
    bodies: &mut dyn MergeBodies,
) -> Result<Merged, TreeError> {
    let unchanged = |content: &Content| Merged {
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
    let mut work = Work {
        base,
        ours,
        theirs,
        staging,
        bodies,
        pages: BTreeMap::new(),
        files: BTreeMap::new(),
        reusable: BTreeMap::new(),
        conflicts: BTreeMap::new(),
    };
    work.read_pages()?;
    work.lift_orphans();
    work.break_cycles()?;
    work.order_siblings()?;
    let renumbered = work.number_slugs()?;
    work.read_items()?;
    work.number_paths()?;
    work.write(renumbered)
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

/// A merge at work.
struct Work<'m, 's> {
    base: &'m Content,
    ours: &'m Content,
    theirs: &'m Content,
    staging: &'m mut Staging<'s>,
    bodies: &'m mut dyn MergeBodies,
    /// Every page that a side changed.
    pages: BTreeMap<PageId, Entry>,
    files: Items<FileRecord>,
    reusable: Items<ReusableRecord>,
    conflicts: BTreeMap<Subject, Sides<Value>>,
}

impl<'m> Work<'m, '_> {
    const fn side(&self, side: Side) -> &'m Content {
        match side {
            Side::Ours => self.ours,
            Side::Theirs => self.theirs,
        }
    }

    /// Notes a conflict; the first about a subject counts.
    fn conflict(&mut self, subject: Subject, sides: Sides<Value>) {
        self.conflicts.entry(subject).or_insert(sides);
    }

    fn write(mut self, renumbered: Vec<Renumbered>) -> Result<Merged, TreeError> {
        let mut changes = Vec::new();
        let mut gone = Vec::new();
        for (id, entry) in std::mem::take(&mut self.pages) {
            match entry.merged {
                Some(merged) if entry.ours.as_ref() != Some(&merged) => {
                    changes.push(Change::Put(Box::new(merged)));
                }
                Some(_) => {}
                None => {
                    gone.push(id);
                    if entry.ours.is_some() {
                        changes.push(Change::Delete(id));
                    }
                }
            }
        }
        let mut content = self.ours.clone();
        let (left, taken) = self.write_items(&mut content)?;
        // What leaves a path goes first and what takes it comes last, so that a file can become
        // a page and a page a file.
        content.paths = content.paths.apply(self.staging, left)?;
        content = write(&content, self.staging, changes)?;
        content.paths = content.paths.apply(self.staging, taken)?;
        content.redirects = self.redirects()?;
        content.variables = self.variables();
        content.sources = self.sources();
        let found = std::mem::take(&mut self.conflicts);
        let conflicts: Vec<Conflict> =
            found.into_iter().map(|(subject, sides)| Conflict::new(subject, sides)).collect();
        content.conflicts = self.carry(&conflicts, &gone)?;
        Ok(Merged { content, conflicts, renumbered })
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
            let (merged, clash) = value::whole(Some(&base), &ours, &theirs);
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
            let (value, clash) = value::whole(Some(&sides.0), &sides.1, &sides.2);
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
            let (value, clash) = value::whole(Some(&sides.base), &sides.ours, &sides.theirs);
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
