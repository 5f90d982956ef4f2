//! The commits into which the changes of a change request are divided.

use std::collections::VecDeque;

use bindery_model::{Result, RevisionId, Timestamp, UserId};
use bindery_revision::{Author, Content, ContentKind};

use crate::content::snapshot::Snapshot;

/// Maximum number of revisions that are divided into several commits.
const MAX_REVISIONS: usize = 100;

/// The changes of one commit. An update from the main content is a commit of its own, because a
/// rebase drops merges with the edits in them.
pub(super) struct Stage {
    /// The content with the changes.
    pub(super) content: Content,
    /// The time of its revision.
    pub(super) created_at: Timestamp,
    /// The people who made the changes, the last one first. Empty if that is not known.
    pub(super) authors: Vec<UserId>,
    /// The main content that an update brought; `None` if the changes are edits.
    pub(super) update: Option<Snapshot>,
    /// `true` if the change request has no further changes.
    pub(super) is_last: bool,
}

impl Stage {
    /// Returns the first changes of a change request since the content `shared`; `None` if there
    /// are none. `at` reads a revision.
    pub(super) fn next(
        at: impl Fn(RevisionId) -> Result<Snapshot>,
        head: RevisionId,
        shared: &Content,
    ) -> Result<Option<Self>> {
        let head = at(head)?;
        let mut later = VecDeque::new();
        let mut one = head.clone();
        while one.revision.content != *shared {
            let parent = one.revision.parents.first().copied();
            later.push_front(one);
            match parent {
                Some(parent) if later.len() < MAX_REVISIONS => one = at(parent)?,
                // The branch has changes that the change request did not have at any time.
                _ => return Ok(Some(Self::up_to(&head, Vec::new(), true))),
            }
        }
        let is_clean = |one: &Snapshot| one.revision.content.conflicts.is_empty();
        let is_update = |one: &Snapshot| one.revision.kind == ContentKind::Update && is_clean(one);
        if let Some(first) = later.front().filter(|first| is_update(first)) {
            let mut stage = Self::up_to(first, authors([first]), later.len() == 1);
            if let Some(main) = first.revision.parents.get(1) {
                stage.update = Some(at(*main)?);
            }
            return Ok(Some(stage));
        }
        let before = later.iter().take_while(|one| !is_update(one)).count();
        let end = match before.checked_sub(1).and_then(|last| later.get(last)) {
            Some(last) if is_clean(last) => before,
            _ => later.len(),
        };
        let is_last = end == later.len();
        later.truncate(end);
        Ok(later.back().map(|last| Self::up_to(last, authors(&later), is_last)))
    }

    fn up_to(last: &Snapshot, authors: Vec<UserId>, is_last: bool) -> Self {
        let (content, created_at) = (last.revision.content.clone(), last.row.created_at);
        Self { content, created_at, authors, update: None, is_last }
    }
}

/// Returns the people who made revisions, the last one first.
fn authors<'a>(
    revisions: impl IntoIterator<Item = &'a Snapshot, IntoIter: DoubleEndedIterator>,
) -> Vec<UserId> {
    let mut distinct = Vec::new();
    for one in revisions.into_iter().rev() {
        if let Author::User(user) = one.revision.author
            && !distinct.contains(&user)
        {
            distinct.push(user);
        }
    }
    distinct
}
