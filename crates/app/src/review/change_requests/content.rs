//! Changes of the content of a change request, and of the main content where direct edits are
//! allowed.

use bindery_model::{Error, PageId, Result, RevisionId, UserId};
use bindery_revision::{Author, Content, ContentKind, Revision, Staging};
use bindery_store::Event;
use bindery_store::change_requests::{self as rows, Contribution, Status};
use bindery_store::spaces::Space;

use super::{ChangeRequestTarget, author, merge, record_as};
use crate::Context;
use crate::content::content_changes::{ChangeResult, Changing, ContentChange, apply};
use crate::content::git_sync;
use crate::content::revisions::{self, Committed, RevisionOwner};
use crate::content::snapshot::{Snapshot, put_staged};
use crate::content::spaces::require_unlocked;
use crate::content::templates::{self, TemplateRequest};
use crate::review::editing::{self, MadeFor};

/// Maximum number of revisions that are searched for the last update from the main content.
const SIDES_WITHIN: usize = 50;

/// Changes the content of a change request. Returns the new revision and the results of the
/// changes. Changes without an effect create no revision. What people typed in the last minutes
/// stays, unless the changes are made for the head.
///
/// # Errors
/// Returns 409 if the change request is merged or archived, and the error of the first change that
/// cannot be applied.
pub fn change_content(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    changes: Vec<ContentChange>,
    made_for: MadeFor,
) -> Result<(RevisionId, ChangeResult)> {
    let author = author(cx)?;
    let saved = changes.iter().any(removes_page).then(|| editing::save_target(cx, target));
    let saved = saved.transpose()?;
    let target = saved.as_ref().unwrap_or(target);
    let pages = written_pages(&changes, made_for);
    let parents = vec![target.change_request.head];
    let (revision, changed) = change_content_as(cx, target, author, parents, changes)?;
    Ok((editing::keep_typed(cx, &target.into(), author, revision, &pages)?, changed))
}

/// Returns the pages whose texts are replaced by a program that may not know the latest ones.
fn written_pages(changes: &[ContentChange], made_for: MadeFor) -> Vec<PageId> {
    let changes = changes.iter().filter(|_| made_for == MadeFor::Unknown);
    let page = |change: &ContentChange| match change {
        ContentChange::UpdatePage { page, document: Some(_), .. } => Some(*page),
        _ => None,
    };
    changes.filter_map(page).collect()
}

/// Returns `true` for a change that removes a page, whose unsaved text a revision then keeps.
fn removes_page(change: &ContentChange) -> bool {
    matches!(change, ContentChange::DeletePage(_) | ContentChange::RevertPage { .. })
}

/// Does the same as [`change_content`] in the name of a user. The new revision has these parents.
pub(in crate::review) fn change_content_as(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    author: UserId,
    parents: Vec<RevisionId>,
    changes: Vec<ContentChange>,
) -> Result<(RevisionId, ChangeResult)> {
    let (space, row) = (&target.space, &target.change_request);
    editable(row.status)?;
    let at = |id| Snapshot::of(cx.app, cx.tx, space, Some(id));
    let (base, before) = (at(row.merged_ancestor)?, at(row.head)?);
    let content = &before.revision.content;
    let sides = match content.conflicts.is_empty() {
        true => Vec::new(),
        false => merged_sides(cx, space, &before)?,
    };
    let base = &base.revision.content;
    let changing = Changing { space: space.id, content, base, sides: &sides };
    let (changed, made) = make(cx, changing, changes)?;
    if !made {
        return Ok((row.head, changed));
    }
    let content = changed.content.clone();
    let advance = Advance { kind: ContentKind::Edits, parents, author };
    Ok((advance.to(cx, target, content)?, changed))
}

/// Applies a template to the content of a change request. Returns the new revision.
///
/// # Errors
/// Returns the same errors as [`change_content`], and an error if the template is invalid.
pub fn apply_template(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    wanted: &TemplateRequest,
) -> Result<RevisionId> {
    let (space, row) = (&target.space, &target.change_request);
    editable(row.status)?;
    let before = Snapshot::of(cx.app, cx.tx, space, Some(row.head))?;
    let content = with_template(cx, &before.revision.content, wanted)?;
    let (kind, parents) = (ContentKind::Edits, vec![row.head]);
    Advance { kind, parents, author: author(cx)? }.to(cx, target, content)
}

/// Applies a template to the main content of a space. Returns the new revision.
///
/// # Errors
/// Returns 409 if the space is locked, and an error if the template is invalid.
pub fn apply_template_to_main(
    cx: &Context<'_>,
    space: &Space,
    wanted: &TemplateRequest,
) -> Result<RevisionId> {
    require_unlocked(space)?;
    begin_with_template(cx, space, wanted)
}

/// Applies a template to the main content of a space that is being created. Ignores the lock of the
/// space, which applies to later changes.
///
/// # Errors
/// Returns an error if the template is invalid.
pub fn begin_with_template(
    cx: &Context<'_>,
    space: &Space,
    wanted: &TemplateRequest,
) -> Result<RevisionId> {
    let before = Snapshot::of(cx.app, cx.tx, space, None)?;
    let content = with_template(cx, &before.revision.content, wanted)?;
    commit(cx, space, author(cx)?, content)
}

/// Adds a template to a content and stores the result.
fn with_template(cx: &Context<'_>, before: &Content, wanted: &TemplateRequest) -> Result<Content> {
    let objects = cx.tx.objects();
    let mut staging = Staging::new(&objects);
    let content = templates::apply(cx, before, &mut staging, wanted)?;
    put_staged(cx.tx, staging, &content)?;
    Ok(content)
}

pub(in crate::review) fn editable(status: Status) -> Result<()> {
    match status {
        Status::Draft | Status::Open => Ok(()),
        Status::Archived => {
            Err(Error::conflict("the change request is archived: open it to change it"))
        }
        Status::Merged => {
            Err(Error::conflict("the change request is merged: it cannot be changed"))
        }
    }
}

/// Makes a content the main content of a space. Returns its revision.
fn commit(cx: &Context<'_>, space: &Space, author: UserId, content: Content) -> Result<RevisionId> {
    let revision = Revision {
        parents: vec![space.head],
        kind: ContentKind::Edits,
        author: Author::User(author),
        created_at: cx.now(),
        message: None,
        content,
    };
    let id = RevisionId::random(&cx.app.entropy);
    if revisions::commit(cx.tx, space, id, space.head, &revision)? == Committed::Moved {
        return Err(merge::moved());
    }
    Ok(id)
}

/// A new revision of a change request.
pub(super) struct Advance {
    pub(super) kind: ContentKind,
    pub(super) parents: Vec<RevisionId>,
    pub(super) author: UserId,
}

impl Advance {
    /// Replaces the content of a change request. The objects of the new content are already stored.
    pub(super) fn to(
        self,
        cx: &Context<'_>,
        target: &ChangeRequestTarget,
        content: Content,
    ) -> Result<RevisionId> {
        let Self { kind, parents, author } = self;
        let (space, row) = (&target.space, &target.change_request);
        let now = cx.now();
        let taken_in = if kind == ContentKind::Update { space.head } else { row.merged_ancestor };
        let id = RevisionId::random(&cx.app.entropy);
        if !rows::move_head(cx.tx, row.id, row.head, id, taken_in, now)? {
            return Err(merge::moved());
        }
        let revision = Revision {
            parents,
            kind,
            author: Author::User(author),
            created_at: now,
            message: None,
            content,
        };
        revisions::store(cx.tx, space.id, id, &revision, RevisionOwner::ChangeRequest(row.id))?;
        if kind == ContentKind::Edits {
            rows::record_contribution(cx.tx, row.id, author, Contribution::Edit, now)?;
        }
        let event = Event::ChangeRequestContentUpdated {
            change_request: row.id,
            revision: id,
            revision_kind: revisions::kind_name(kind).to_owned(),
        };
        record_as(cx, space, author, event)?;
        git_sync::change_request_changed(cx.tx, space, row.id, Some(author))?;
        Ok(id)
    }
}

/// Changes the main content of a space. What people typed live in the last minutes stays, unless
/// the changes are made for the head.
///
/// # Errors
/// Returns 409 if the space is locked, and the error of the first change that cannot be applied.
pub fn change_main_content(
    cx: &Context<'_>,
    space: &Space,
    changes: Vec<ContentChange>,
    made_for: MadeFor,
) -> Result<(RevisionId, ChangeResult)> {
    let author = author(cx)?;
    let saved = changes.iter().any(removes_page).then(|| editing::save_all(cx, &space.into()));
    let saved = saved.transpose()?;
    let space = saved.as_ref().map_or(space, |saved| &saved.space);
    let pages = written_pages(&changes, made_for);
    let (revision, changed) = change_main_content_as(cx, space, author, changes)?;
    Ok((editing::keep_typed(cx, &space.into(), author, revision, &pages)?, changed))
}

/// Does the same as [`change_main_content`] in the name of a user.
pub(in crate::review) fn change_main_content_as(
    cx: &Context<'_>,
    space: &Space,
    author: UserId,
    changes: Vec<ContentChange>,
) -> Result<(RevisionId, ChangeResult)> {
    require_unlocked(space)?;
    let before = Snapshot::of(cx.app, cx.tx, space, None)?;
    let content = &before.revision.content;
    let changing = Changing { space: space.id, content, base: content, sides: &[] };
    let (changed, made) = make(cx, changing, changes)?;
    if !made {
        return Ok((space.head, changed));
    }
    let content = changed.content.clone();
    Ok((commit(cx, space, author, content)?, changed))
}

/// Returns the two contents that the last update of a change request merged: its own and the main
/// content. Returns no contents if the update is more than [`SIDES_WITHIN`] revisions ago.
fn merged_sides(cx: &Context<'_>, space: &Space, head: &Snapshot) -> Result<Vec<Content>> {
    let at = |id| Snapshot::of(cx.app, cx.tx, space, Some(id));
    let mut update = head.clone();
    for _ in 0..SIDES_WITHIN {
        let parents = update.revision.parents.clone();
        if update.revision.kind == ContentKind::Update {
            let sides = parents.into_iter().map(|id| Ok(at(id)?.revision.content.clone()));
            return sides.collect();
        }
        let Some(parent) = parents.first() else { break };
        update = at(*parent)?;
    }
    Ok(Vec::new())
}

/// Applies changes to a content and stores the result. Returns the result and `true` if the content
/// has changed.
fn make(
    cx: &Context<'_>,
    changing: Changing<'_>,
    changes: Vec<ContentChange>,
) -> Result<(ChangeResult, bool)> {
    let objects = cx.tx.objects();
    let mut staging = Staging::new(&objects);
    let changed = apply(cx, changing, &mut staging, changes)?;
    if changed.content == *changing.content {
        return Ok((changed, false));
    }
    put_staged(cx.tx, staging, &changed.content)?;
    cx.tx.put_prepared(&changed.objects)?;
    Ok((changed, true))
}
