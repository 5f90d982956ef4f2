//! The last change of each file of a commit, found by walking its history.
//!
//! Every file starts at the newest commit and moves on to a parent in which it is the same, as in
//! Git's own simplification of history. It stays at the commit all of whose parents have another
//! file, which is the one that changed it. A commit costs the comparison of its folders with those
//! of its parents, regardless of the number of files that move on.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use bindery_model::Timestamp;
use gix_hash::{Kind as HashKind, ObjectId};
use gix_object::{CommitRef, Kind};

use crate::folder::{FolderEntry, position};
use crate::packs::Packs;
use crate::trees::Trees;

/// Maximum number of commits that are compared with their parents.
const MAX_COMMITS: usize = 10_000;

/// The history of a commit, complete or up to some commits whose parents are not present.
pub(crate) struct History<'a> {
    packs: Arc<Packs>,
    trees: Trees,
    /// The files of the commit, sorted by path.
    entries: &'a [FolderEntry],
    /// Maximum number of files that differ between two commits.
    most: usize,
}

/// The parts of a commit that the walk needs.
struct Commit {
    tree: ObjectId,
    parents: Vec<ObjectId>,
    /// The author date.
    time: Timestamp,
    /// The committer date in seconds, by which commits are visited.
    committed: i64,
}

/// Positions of files in the list of the commit's files.
type Positions = HashSet<usize>;

/// The files that have moved to a commit and were not looked at there.
#[derive(Default)]
struct Waiting {
    files: HashMap<ObjectId, Positions>,
    /// The commits, newest first.
    order: BinaryHeap<(i64, ObjectId)>,
}

impl Waiting {
    fn add(&mut self, id: ObjectId, commit: &Commit, files: Positions) {
        let Some(present) = self.files.get_mut(&id) else {
            self.files.insert(id, files);
            self.order.push((commit.committed, id));
            return;
        };
        let (mut more, less) = if present.len() < files.len() {
            (files, std::mem::take(present))
        } else {
            (std::mem::take(present), files)
        };
        more.extend(less);
        *present = more;
    }

    fn next(&mut self) -> Option<(ObjectId, Positions)> {
        let (_, id) = self.order.pop()?;
        Some((id, self.files.remove(&id)?))
    }
}

impl<'a> History<'a> {
    pub(crate) fn new(packs: Arc<Packs>, entries: &'a [FolderEntry], most: usize) -> Self {
        Self { trees: Trees::new(Arc::clone(&packs)), packs, entries, most }
    }

    /// Returns the author dates of the commits that last changed the files, in the order of the
    /// files. A file whose commit is beyond the known history has the date of the oldest commit
    /// that is known to contain it unchanged.
    pub(crate) fn last_changes(
        &self,
        tip: ObjectId,
        time: Timestamp,
        stop: &dyn Fn() -> bool,
    ) -> Vec<Timestamp> {
        let mut times = vec![time; self.entries.len()];
        let Some(commit) = self.commit(&tip) else { return times };
        let mut waiting = Waiting::default();
        waiting.add(tip, &commit, (0..self.entries.len()).collect());
        let mut visited = 0;
        while let Some((id, files)) = waiting.next() {
            let Some(commit) = self.commit(&id) else { continue };
            visited += 1;
            let may_go_on = visited <= MAX_COMMITS && !stop();
            let files = if may_go_on { self.pass_on(&commit, files, &mut waiting) } else { files };
            for file in files {
                if let Some(at) = times.get_mut(file) {
                    *at = commit.time;
                }
            }
        }
        times
    }

    /// Moves files that are the same in a parent to this parent. Returns the others.
    fn pass_on(&self, commit: &Commit, files: Positions, waiting: &mut Waiting) -> Positions {
        let mut rest = files;
        for id in &commit.parents {
            if rest.is_empty() {
                break;
            }
            let Some(parent) = self.commit(id) else { continue };
            let Ok(Some(changed)) = self.trees.changes(parent.tree, commit.tree, self.most) else {
                continue;
            };
            let mut unchanged = std::mem::take(&mut rest);
            let changed = changed.iter().filter_map(|path| position(self.entries, path));
            rest.extend(changed.filter(|file| unchanged.remove(file)));
            if !unchanged.is_empty() {
                waiting.add(*id, &parent, unchanged);
            }
        }
        rest
    }

    /// Reads a commit if it is present.
    fn commit(&self, id: &ObjectId) -> Option<Commit> {
        let (kind, data) = self.packs.read(id).ok()?;
        if kind != Kind::Commit {
            return None;
        }
        let commit = CommitRef::from_bytes(&data, HashKind::Sha1).ok()?;
        Some(Commit {
            tree: commit.tree(),
            parents: commit.parents().collect(),
            time: time_of(&commit),
            committed: commit.time().map_or(0, |time| time.seconds),
        })
    }
}

/// Returns `true` if a commit is `ancestor` or descends from it, as far as its history is present.
pub(crate) fn descends_from(packs: &Packs, tip: ObjectId, ancestor: ObjectId) -> bool {
    let mut seen = HashSet::from([tip]);
    let mut waiting = vec![tip];
    while let Some(id) = waiting.pop() {
        if id == ancestor {
            return true;
        }
        for parent in parents(packs, &id).unwrap_or_default().1 {
            if seen.len() < MAX_COMMITS && seen.insert(parent) {
                waiting.push(parent);
            }
        }
    }
    false
}

/// Returns the newest commit from which both commits descend, by the times of commits. `None` if the
/// packs do not contain it.
pub(crate) fn merge_base(packs: &Packs, one: ObjectId, other: ObjectId) -> Option<ObjectId> {
    let mut of_other = HashSet::from([other]);
    let mut waiting = vec![other];
    while let Some(id) = waiting.pop() {
        for parent in parents(packs, &id).unwrap_or_default().1 {
            if of_other.len() < MAX_COMMITS && of_other.insert(parent) {
                waiting.push(parent);
            }
        }
    }
    let mut seen = HashSet::from([one]);
    let mut waiting = BinaryHeap::from([(i64::MAX, one)]);
    while let Some((_, id)) = waiting.pop() {
        if of_other.contains(&id) {
            return Some(id);
        }
        for parent in parents(packs, &id).unwrap_or_default().1 {
            if seen.len() < MAX_COMMITS && seen.insert(parent) {
                let time = parents(packs, &parent).map_or(i64::MIN, |(time, _)| time);
                waiting.push((time, parent));
            }
        }
    }
    None
}

/// Returns the time of a commit in seconds, and its parents; `None` if it cannot be read.
fn parents(packs: &Packs, id: &ObjectId) -> Option<(i64, Vec<ObjectId>)> {
    let (kind, data) = packs.read(id).ok()?;
    let commit = CommitRef::from_bytes(&data, HashKind::Sha1).ok().filter(|_| kind == Kind::Commit);
    let commit = commit?;
    Some((commit.time().map_or(0, |time| time.seconds), commit.parents().collect()))
}

/// Returns the author date of a commit, or the start of 1970 if it is not readable.
pub(crate) fn time_of(commit: &CommitRef<'_>) -> Timestamp {
    let seconds = commit.author().ok().and_then(|author| author.time().ok());
    Timestamp::from_millis(seconds.map_or(0, |time| time.seconds.saturating_mul(1000)))
}
