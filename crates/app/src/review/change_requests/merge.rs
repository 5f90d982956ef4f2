//! Merges of a change request into the main content, and updates of a change request from it.

use bindery_model::{Error, NotificationKind, Result, RevisionId};
use bindery_revision::diff::diff;
use bindery_revision::merge::{self as contents, MergeBodies};
use bindery_revision::{Author, Content, ContentKind, Revision, Staging};
use bindery_store::change_requests::{self as rows, Status};
use bindery_store::{Event, spaces};

use super::content::Advance;
use super::{ChangeRequestTarget, author, counted, record};
use crate::Context;
use crate::content::imports::Pending;
use crate::content::revisions::{self, Committed};
use crate::content::snapshot::{Snapshot, broken_object, broken_tree, put_staged};
use crate::content::spaces::require_unlocked;
use crate::content::texts::DocumentBodies;
use crate::review::notifications::{self, Cause, Recipients};
use crate::review::{editing, merge_rules};

/// The result of a merge or an update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The new revision, or the revision that holds the conflicts.
    pub revision: RevisionId,
    /// The number of open conflicts: items that both sides changed differently.
    pub conflicts: u64,
}

/// The three contents that a merge works on.
struct Sides {
    base: Snapshot,
    main: Snapshot,
    proposed: Snapshot,
}

impl Sides {
    fn of(cx: &Context<'_>, target: &ChangeRequestTarget) -> Result<Self> {
        let row = &target.change_request;
        let at = |id| Snapshot::of(cx.app, cx.tx, &target.space, Some(id));
        Ok(Self {
            base: at(row.merged_ancestor)?,
            main: at(target.space.head)?,
            proposed: at(row.head)?,
        })
    }
}

/// Merges a change request into the main content. If both sides changed the same item differently,
/// the main content stays unchanged and the change request holds the conflicts.
///
/// # Errors
/// Returns 409 if the change request is archived or merged, the space is locked, the merge rules
/// are not met, or there is nothing to merge.
pub fn merge(cx: &Context<'_>, target: &ChangeRequestTarget) -> Result<Outcome> {
    let target = &editing::save_target(cx, target)?;
    let (space, row) = (&target.space, &target.change_request);
    match row.status {
        Status::Draft | Status::Open => {}
        Status::Archived => {
            return Err(Error::conflict(
                "the change request is archived: open it to merge it (PATCH its status)",
            ));
        }
        Status::Merged => return Err(Error::conflict("the change request is merged already")),
    }
    require_unlocked(space)?;
    let sides = Sides::of(cx, target)?;
    let proposed = &sides.proposed.revision.content;
    merge_rules::require(cx, target, &sides.base.revision.content, proposed)?;
    if !proposed.conflicts.is_empty() {
        return Ok(Outcome { revision: row.head, conflicts: proposed.conflicts.len() });
    }
    let import = Pending::of_change_request(cx.tx, row)?;
    // An import whose conflicts were decided for the space still changes what both sides agree on.
    let nothing = import.is_none()
        && diff(&sides.base.revision.content, proposed, &cx.tx.objects(), 1)
            .map_err(broken_object)?
            .changes
            .is_empty();
    if nothing {
        return Err(Error::conflict(
            "the change request changes nothing: there is nothing to merge",
        ));
    }
    let objects = cx.tx.objects();
    let mut staging = Staging::new(&objects);
    let merged = contents::merge(
        &sides.base.revision.content,
        &sides.main.revision.content,
        proposed,
        &mut staging,
        &mut DocumentBodies,
    )
    .map_err(broken_tree)?;
    if !merged.content.conflicts.is_empty() {
        return take_over(cx, target, &sides);
    }
    let now = cx.now();
    // Readers see the changes from now on, whenever they were written.
    let main = &sides.main.revision.content;
    let content =
        contents::date_changes(&merged.content, main, &mut staging, now).map_err(broken_object)?;
    put_staged(cx.tx, staging, &content)?;
    let revision = Revision {
        parents: vec![space.head, row.head],
        kind: ContentKind::Merge,
        author: Author::User(author(cx)?),
        created_at: now,
        message: Some(row.subject.clone()).filter(|subject| !subject.is_empty()),
        content,
    };
    let id = RevisionId::random(&cx.app.entropy);
    if revisions::commit(cx.tx, space, id, space.head, &revision)? == Committed::Moved {
        return Err(moved());
    }
    let mut after = row.clone();
    (after.status, after.merged, after.updated_at) = (Status::Merged, Some(id), now);
    rows::update(cx.tx, &after)?;
    spaces::add_counts(cx.tx, space.id, counted(Some(row.status), Some(after.status)))?;
    if let Some(import) = import {
        import.agree(cx.tx, id, now)?;
    }
    record(cx, space, Event::ChangeRequestMerged { change_request: row.id, revision: id })?;
    let creator = Recipients::default().with(NotificationKind::Merged, [row.created_by]);
    notifications::notify(cx, Cause::change_request(space, row), creator)?;
    Ok(Outcome { revision: id, conflicts: 0 })
}

/// Merges the main content into a change request.
///
/// # Errors
/// Returns 409 if the change request is merged.
pub fn update_from_main(cx: &Context<'_>, target: &ChangeRequestTarget) -> Result<Outcome> {
    let target = &editing::save_target(cx, target)?;
    let row = &target.change_request;
    if row.status == Status::Merged {
        return Err(Error::conflict("the change request is merged: it cannot be updated any more"));
    }
    let sides = Sides::of(cx, target)?;
    if row.merged_ancestor == target.space.head {
        let conflicts = sides.proposed.revision.content.conflicts.len();
        return Ok(Outcome { revision: row.head, conflicts });
    }
    take_over(cx, target, &sides)
}

/// Adds a revision to a change request that contains the changes of the main content and all
/// conflicts.
fn take_over(cx: &Context<'_>, target: &ChangeRequestTarget, sides: &Sides) -> Result<Outcome> {
    let (space, row) = (&target.space, &target.change_request);
    let objects = cx.tx.objects();
    let mut staging = Staging::new(&objects);
    let content = merged(sides, &mut staging, &mut DocumentBodies)?;
    let conflicts = content.conflicts.len();
    put_staged(cx.tx, staging, &content)?;
    let parents = vec![row.head, space.head];
    let advance = Advance { kind: ContentKind::Update, parents, author: author(cx)? };
    let id = advance.to(cx, target, content)?;
    Ok(Outcome { revision: id, conflicts })
}

fn merged(
    sides: &Sides,
    staging: &mut Staging<'_>,
    bodies: &mut dyn MergeBodies,
) -> Result<Content> {
    let content = |side: &Snapshot| side.revision.content.clone();
    let (base, main, proposed) =
        (content(&sides.base), content(&sides.main), content(&sides.proposed));
    let merged = contents::merge(&base, &proposed, &main, staging, bodies).map_err(broken_tree)?;
    Ok(merged.content)
}

/// Returns the error for a head that changed within the transaction that read it. The isolation of
/// transactions prevents this on both engines.
pub(crate) fn moved() -> Error {
    Error::unavailable("the content moved while it was merged; try again")
}
