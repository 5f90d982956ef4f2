//! How long something holds that was made from a site's content: until what it looked at changes.
//!
//! While something is made, every part of a content that is looked at leaves a mark. When a site's
//! version moves, the old and the new contents are compared, which reads only where they differ,
//! and the marks of what differs are noted with the version. So it is told without reading
//! anything whether what was made under an older version still holds.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{PoisonError, RwLock};

use bindery_app::content::broken_object;
use bindery_model::{Result, SpaceId};
use bindery_revision::{Content, Facet, Hash, ObjectError, Objects};
use bytes::Bytes;

/// Marks that are held for one site; of larger changes only their version is.
const MOST: usize = 50_000;

/// What stands for a facet of a space. Two facets may share a mark: what is made from one is then
/// made anew when the other changes, and that is all.
pub(super) type Mark = u32;

fn mark(space: SpaceId, facet: Facet<'_>) -> Mark {
    let mut hasher = DefaultHasher::new();
    (space, facet).hash(&mut hasher);
    // The lower half of a good hash is one.
    (hasher.finish() & u64::from(u32::MAX)) as Mark
}

/// Objects that keep a list of what is looked at.
pub(super) struct Traced<'a> {
    objects: &'a dyn Objects,
    space: SpaceId,
    marks: RefCell<Vec<Mark>>,
}

impl<'a> Traced<'a> {
    pub(super) fn new(objects: &'a dyn Objects, space: SpaceId) -> Self {
        Self { objects, space, marks: RefCell::default() }
    }

    /// The same objects with a list of its own.
    pub(super) fn anew(&self) -> Self {
        Self::new(self.objects, self.space)
    }

    /// Adds what something else looked at.
    pub(super) fn add(&self, marks: &[Mark]) {
        self.marks.borrow_mut().extend_from_slice(marks);
    }

    /// What was looked at, each once.
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

/// What changed on a site, and at which version.
#[derive(Debug)]
pub(super) struct Changes(RwLock<Noted>);

#[derive(Debug)]
struct Noted {
    /// Before this version anything may have been different.
    since: i64,
    /// The last version at which it changed.
    last: HashMap<Mark, i64>,
}

impl Changes {
    /// Nothing is known of what was before `version`.
    pub(super) fn since(version: i64) -> Self {
        Self(RwLock::new(Noted { since: version, last: HashMap::new() }))
    }

    /// Notes that everything may have changed with `version`.
    pub(super) fn everything(&self, version: i64) {
        let mut noted = self.0.write().unwrap_or_else(PoisonError::into_inner);
        noted.since = noted.since.max(version);
        noted.last.clear();
    }

    /// Notes in what a space's content at `version` differs from an older one.
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

    /// Notes facets that changed for another reason than that the content did.
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

    /// Whether none of these changed after `version`.
    fn hold(&self, version: i64, marks: &[Mark]) -> bool {
        let noted = self.0.read().unwrap_or_else(PoisonError::into_inner);
        version >= noted.since
            && (noted.last.is_empty()
                || marks.iter().all(|mark| noted.last.get(mark).is_none_or(|at| *at <= version)))
    }
}

/// What something made from a content hangs on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Depends {
    /// On these parts of the content, and on how the site presents it.
    On(Box<[Mark]>),
    /// On anything that the site shows.
    OnAll,
}

/// Something that was made under one version of a site and may hold under later ones.
#[derive(Debug)]
pub(super) struct Kept<T> {
    pub(super) value: T,
    pub(super) depends: Depends,
    /// The last version under which it is known to hold.
    version: AtomicI64,
}

impl<T> Kept<T> {
    pub(super) fn new(value: T, depends: Depends, version: i64) -> Self {
        Self { value, depends, version: AtomicI64::new(version) }
    }

    /// Whether it holds under a version of its site, whose changes up to there are noted.
    pub(super) fn holds(&self, version: i64, changes: &Changes) -> bool {
        let known = self.version.load(Ordering::Acquire);
        if known == version {
            return true;
        }
        let Depends::On(marks) = &self.depends else { return false };
        // A reader of an older state makes its own.
        let holds = known < version && changes.hold(known, marks);
        if holds {
            self.version.fetch_max(version, Ordering::AcqRel);
        }
        holds
    }

    /// Bytes that it takes besides the value.
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
        assert!(!kept(2, &[]).holds(3, &changes), "nothing is known of what was before");
        changes.note_marks(4, &[2]);
        assert!(one.holds(4, &changes));
        assert!(!both.holds(4, &changes));
        assert!(both.holds(3, &changes), "for a reader of the older state it does");
        assert!(!one.holds(3, &changes), "it may rest on what is newer");
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
