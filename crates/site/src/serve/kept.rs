//! Validity of cached values: a value that was rendered from a site's content is valid until some
//! content that it read changes.
//!
//! Each part of the content (a facet) that a rendering reads is recorded as a mark. When the
//! version of a site moves, the old and the new content are compared, which reads only the parts
//! that differ, and the marks of those parts are stored with the version. Checking whether a value
//! of an older version is still valid therefore reads no content.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{PoisonError, RwLock};

use bindery_app::content::broken_object;
use bindery_model::{Result, SpaceId};
use bindery_revision::{Content, Facet, Hash, ObjectError, Objects};
use bytes::Bytes;

/// Maximum number of marks that are held for one site. Of a larger change only the version is held.
const MOST: usize = 50_000;

/// A hash of a facet of a space. If two facets share a mark, a value that read one of them is
/// rendered again when the other changes, which costs time and is never wrong.
pub(super) type Mark = u32;

fn mark(space: SpaceId, facet: Facet<'_>) -> Mark {
    let mut hasher = DefaultHasher::new();
    (space, facet).hash(&mut hasher);
    // Any half of a well-mixed hash is itself well mixed.
    (hasher.finish() & u64::from(u32::MAX)) as Mark
}

/// Objects that record which facets are read.
pub(super) struct Traced<'a> {
    objects: &'a dyn Objects,
    space: SpaceId,
    marks: RefCell<Vec<Mark>>,
}

impl<'a> Traced<'a> {
    pub(super) fn new(objects: &'a dyn Objects, space: SpaceId) -> Self {
        Self { objects, space, marks: RefCell::default() }
    }

    /// Returns the same objects with an empty record.
    pub(super) fn anew(&self) -> Self {
        Self::new(self.objects, self.space)
    }

    /// Adds facets that another reader of the objects recorded.
    pub(super) fn add(&self, marks: &[Mark]) {
        self.marks.borrow_mut().extend_from_slice(marks);
    }

    /// Returns the recorded marks, sorted and without duplicates.
    pub(super) fn marks(&self) -> Box<[Mark]> {
        let mut marks = self.marks.borrow().clone();
        marks.sort_unstable();
        marks.dedup();
        marks.into()
    }
}

impl Objects for Traced<'_> {
    fn get(&self, hash: &Hash) -> std::result::Result<Bytes, ObjectError> {
        self.objects.get(hash)
    }

    fn looked_at(&self, facet: Facet<'_>) {
        self.marks.borrow_mut().push(mark(self.space, facet));
    }
}

/// The changes of a site, with the version of each.
#[derive(Debug)]
pub(super) struct Changes(RwLock<Noted>);

#[derive(Debug)]
struct Noted {
    /// Nothing is known about changes before this version.
    since: i64,
    /// The last version at which each facet changed.
    last: HashMap<Mark, i64>,
}

impl Changes {
    /// Creates a record that knows no changes before `version`.
    pub(super) fn since(version: i64) -> Self {
        Self(RwLock::new(Noted { since: version, last: HashMap::new() }))
    }

    /// Records that everything may have changed with `version`.
    pub(super) fn everything(&self, version: i64) {
        let mut noted = self.0.write().unwrap_or_else(PoisonError::into_inner);
        noted.since = noted.since.max(version);
        noted.last.clear();
    }

    /// Records the differences between an older content of a space and its content at `version`.
    pub(super) fn note(
        &self,
        version: i64,
        space: SpaceId,
        (old, new): (&Content, &Content),
        objects: &dyn Objects,
    ) -> Result<()> {
        let mut marks = Vec::new();
        let told = old.differences(new, objects, &mut |facet| {
            marks.push(mark(space, facet));
            marks.len() <= MOST
        });
        if !told.map_err(broken_object)? {
            self.everything(version);
            return Ok(());
        }
        self.note_marks(version, &marks);
        Ok(())
    }

    /// Records facets that changed for a reason other than a change of the content.
    pub(super) fn note_facets<'k>(
        &self,
        version: i64,
        space: SpaceId,
        facets: impl IntoIterator<Item = Facet<'k>>,
    ) {
        let marks: Vec<Mark> = facets.into_iter().map(|facet| mark(space, facet)).collect();
        self.note_marks(version, &marks);
    }

    fn note_marks(&self, version: i64, marks: &[Mark]) {
        let mut noted = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if noted.last.len() + marks.len() > MOST {
            noted.since = noted.since.max(version);
            noted.last.clear();
            return;
        }
        for mark in marks {
            let last = noted.last.entry(*mark).or_insert(version);
            *last = version.max(*last);
        }
    }

    /// Returns `true` if none of these facets changed after `version`.
    fn hold(&self, version: i64, marks: &[Mark]) -> bool {
        let noted = self.0.read().unwrap_or_else(PoisonError::into_inner);
        version >= noted.since
            && (noted.last.is_empty()
                || marks.iter().all(|mark| noted.last.get(mark).is_none_or(|at| *at <= version)))
    }
}

/// The content that a cached value depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Depends {
    /// Depends on these facets and on the way the site presents the content.
    On(Box<[Mark]>),
    /// Depends on everything that the site shows.
    OnAll,
}

/// A value that was rendered for one version of a site and may be valid for later ones.
#[derive(Debug)]
pub(super) struct Kept<T> {
    pub(super) value: T,
    pub(super) depends: Depends,
    /// The last version for which the value is known to be valid.
    version: AtomicI64,
}

impl<T> Kept<T> {
    pub(super) fn new(value: T, depends: Depends, version: i64) -> Self {
        Self { value, depends, version: AtomicI64::new(version) }
    }

    /// Returns `true` if the value is valid for a version of its site. `changes` must contain all
    /// changes up to that version.
    pub(super) fn holds(&self, version: i64, changes: &Changes) -> bool {
        let known = self.version.load(Ordering::Acquire);
        if known == version {
            return true;
        }
        let Depends::On(marks) = &self.depends else { return false };
        // A request that still reads an older version renders a value of its own.
        let holds = known < version && changes.hold(known, marks);
        if holds {
            self.version.fetch_max(version, Ordering::AcqRel);
        }
        holds
    }

    /// Returns the bytes that the entry takes besides the value.
    pub(super) fn overhead(&self) -> usize {
        let marks = match &self.depends {
            Depends::On(marks) => size_of_val::<[Mark]>(marks),
            Depends::OnAll => 0,
        };
        marks + size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_holds_until_a_part_of_it_changes() {
        let changes = Changes::since(3);
        let kept = |version, marks: &[Mark]| Kept::new((), Depends::On(marks.into()), version);
        let (one, both) = (kept(3, &[1]), kept(3, &[1, 2]));
        assert!(!kept(2, &[]).holds(3, &changes), "changes before version 3 are unknown");
        changes.note_marks(4, &[2]);
        assert!(one.holds(4, &changes));
        assert!(!both.holds(4, &changes));
        assert!(both.holds(3, &changes), "a reader of the older version may use it");
        assert!(!one.holds(3, &changes), "it may contain newer content");
        let all = Kept::new((), Depends::OnAll, 4);
        assert!(all.holds(4, &changes) && !all.holds(5, &changes));
        changes.note_marks(5, &[1]);
        assert!(!one.holds(5, &changes) && kept(5, &[1, 2]).holds(6, &changes));
        changes.everything(7);
        assert!(!kept(6, &[]).holds(7, &changes));
    }

    #[test]
    fn more_changes_than_are_held_change_everything() {
        let changes = Changes::since(0);
        let many: Vec<Mark> = (1..).take(MOST).collect();
        changes.note_marks(1, &many);
        let kept = Kept::new((), Depends::On([0].into()), 0);
        assert!(kept.holds(1, &changes));
        changes.note_marks(2, &[5; 1]);
        assert!(!kept.holds(2, &changes));
    }
}
