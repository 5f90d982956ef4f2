//! Change requests: proposed changes to a space, and their status.

mod conflicts;
mod content;
mod merge;
mod target;

pub use conflicts::{conflict_id, conflicts, resolve_conflicts};
pub use content::{
    apply_template, apply_template_to_main, begin_with_template, change_content,
    change_main_content,
};
pub(in crate::review) use content::{change_content_as, change_main_content_as, editable};
pub(crate) use merge::moved;
pub use merge::{Outcome, merge, update_from_main};
pub use target::{ChangeRequestKey, ChangeRequestTarget};

use std::collections::HashMap;

use bindery_model::{ChangeRequestId, Error, Result, UserId};
use bindery_revision::ContentKind;
pub use bindery_store::change_requests::{
    ChangeRequest, ChangeRequestFilter, ListPosition, ListScope, Status,
};
use bindery_store::spaces::{self, Space, SpaceCounts};
use bindery_store::users::{self, User};
use bindery_store::{Event, NewEvent, Tx, change_requests as rows};

use crate::content::git_sync;
use crate::content::snapshot::Snapshot;
use crate::review::editing;
use crate::{Context, text};

/// Maximum length of a subject, in characters.
pub(crate) const MAX_SUBJECT: usize = 100;

/// A change request with the related data that a response shows.
#[derive(Clone, Debug)]
pub struct ChangeRequestView {
    /// The row.
    pub change_request: ChangeRequest,
    /// Its space.
    pub space: Space,
    /// The user who created it.
    pub created_by: User,
}

impl ChangeRequestView {
    /// Returns `true` if the main content has changed since the last update from it.
    pub fn is_outdated(&self) -> bool {
        self.change_request.status != Status::Merged
            && self.change_request.merged_ancestor != self.space.head
    }
}

/// Returns the views of these change requests for a response, in the same order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn views(tx: &Tx<'_>, rows: Vec<ChangeRequest>) -> Result<Vec<ChangeRequestView>> {
    let people: Vec<UserId> = rows.iter().map(|row| row.created_by).collect();
    let people = users::get_many(tx, &people)?;
    let mut known: HashMap<_, Space> = HashMap::new();
    let mut views = Vec::with_capacity(rows.len());
    for change_request in rows {
        let space = match known.get(&change_request.space) {
            Some(space) => space.clone(),
            None => {
                let space = spaces::get(tx, change_request.space)?
                    .ok_or_else(|| Error::internal("a change request without a space"))?;
                known.insert(space.id, space.clone());
                space
            }
        };
        let created_by = people
            .get(&change_request.created_by)
            .cloned()
            .ok_or_else(|| Error::internal("a change request without an author"))?;
        views.push(ChangeRequestView { change_request, space, created_by });
    }
    Ok(views)
}

/// Returns the view of one change request for a response.
///
/// # Errors
/// Returns an error if the store fails.
pub fn view(tx: &Tx<'_>, row: ChangeRequest) -> Result<ChangeRequestView> {
    views(tx, vec![row])?.pop().ok_or_else(|| Error::internal("a change request was not shown"))
}

/// Returns the change request whose merge created a revision, if there is one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn merged_into(tx: &Tx<'_>, snapshot: &Snapshot) -> Result<Option<ChangeRequestView>> {
    if snapshot.revision.kind != ContentKind::Merge {
        return Ok(None);
    }
    let row = rows::get_by_merge(tx, snapshot.space, snapshot.row.id)?;
    row.map(|row| view(tx, row)).transpose()
}

/// Loads a change request again after a change in this transaction.
///
/// # Errors
/// Returns an error if the store fails.
pub fn reload(cx: &Context<'_>, target: &ChangeRequestTarget) -> Result<ChangeRequest> {
    rows::get(cx.tx, target.space.id, target.change_request.id)?
        .ok_or_else(|| Error::internal("a changed change request is missing"))
}

/// The values of a new change request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NewChangeRequest {
    /// A summary in one line; may be empty.
    pub subject: String,
    /// Custom properties, as JSON.
    pub extra: Option<String>,
}

/// Creates a change request as a draft with the current main content, which then contains what is
/// being written in it.
///
/// # Errors
/// Returns an error if the subject is invalid.
pub fn create(cx: &Context<'_>, space: &Space, new: &NewChangeRequest) -> Result<ChangeRequest> {
    let created_by = author(cx)?;
    let space = &editing::save_all(cx, &space.into())?.space;
    let now = cx.now();
    let row = ChangeRequest {
        id: ChangeRequestId::random(&cx.app.entropy),
        space: space.id,
        number: spaces::next_number(cx.tx, space.id)?,
        status: Status::Draft,
        subject: text::title("/subject", &new.subject, 0, MAX_SUBJECT)?,
        description: None,
        extra: new.extra.clone(),
        created_by,
        created_at: now,
        updated_at: now,
        head: space.head,
        initial: space.head,
        merged_ancestor: space.head,
        merged: None,
        comments: 0,
    };
    rows::create(cx.tx, &row)?;
    spaces::add_counts(cx.tx, space.id, counted(None, Some(row.status)))?;
    record(cx, space, Event::ChangeRequestCreated { change_request: row.id, number: row.number })?;
    Ok(row)
}

/// The new values of a change request; absent fields stay unchanged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChangeRequestPatch {
    /// A summary in one line.
    pub subject: Option<String>,
    /// A longer description, as the JSON of a document.
    pub description: Option<String>,
    /// The status: draft, open or archived.
    pub status: Option<Status>,
}

/// Changes the subject, description or status of a change request.
///
/// # Errors
/// Returns an error if the subject is invalid, or if the patch changes the status of a merged
/// change request.
pub fn update(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    patch: ChangeRequestPatch,
) -> Result<ChangeRequest> {
    let target = &match patch.status {
        // An archived change request takes no more changes of its content.
        Some(Status::Archived) => editing::save_target(cx, target)?,
        _ => target.clone(),
    };
    let before = &target.change_request;
    let mut after = before.clone();
    let mut fields = Vec::new();
    if let Some(status) = patch.status.filter(|status| *status != before.status) {
        if before.status == Status::Merged {
            return Err(Error::conflict("the change request is merged: its status cannot change"));
        }
        after.status = status;
        fields.push("status".to_owned());
    }
    if let Some(subject) = patch.subject {
        after.subject = text::title("/subject", &subject, 0, MAX_SUBJECT)?;
        fields.extend((after.subject != before.subject).then(|| "subject".to_owned()));
    }
    if patch.description.is_some() && patch.description != before.description {
        after.description = patch.description;
        fields.push("description".to_owned());
    }
    if fields.is_empty() {
        return Ok(after);
    }
    after.updated_at = cx.now();
    rows::update(cx.tx, &after)?;
    spaces::add_counts(cx.tx, after.space, counted(Some(before.status), Some(after.status)))?;
    let event = Event::ChangeRequestUpdated { change_request: after.id, fields };
    record(cx, &target.space, event)?;
    git_sync::change_request_changed(cx.tx, &target.space, after.id, cx.user())?;
    Ok(after)
}

/// Returns the change requests of a space, newest first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    within: ListScope<'_>,
    filter: &ChangeRequestFilter,
    after: Option<ListPosition>,
    rows: u32,
) -> Result<(Vec<ChangeRequest>, i64)> {
    Ok((
        bindery_store::change_requests::list(tx, within, filter, after, rows)?,
        bindery_store::change_requests::count(tx, within, filter)?,
    ))
}

/// Returns the changes to the counts of a space that a change of status causes.
pub(crate) fn counted(before: Option<Status>, after: Option<Status>) -> SpaceCounts {
    let is = |status: Option<Status>, wanted| i64::from(status == Some(wanted));
    SpaceCounts {
        change_requests: i64::from(after.is_some()) - i64::from(before.is_some()),
        open: is(after, Status::Open) - is(before, Status::Open),
        draft: is(after, Status::Draft) - is(before, Status::Draft),
        comments: 0,
    }
}

/// Returns the calling user, as the author of a change to a change request.
pub(crate) fn author(cx: &Context<'_>) -> Result<UserId> {
    cx.user().ok_or_else(|| Error::unauthenticated("this operation needs a token of a person"))
}

/// Records an event of a change request of a space.
pub(crate) fn record(cx: &Context<'_>, space: &Space, event: Event) -> Result<()> {
    record_as(cx, space, cx.user(), event)
}

/// Records an event of a change request that a user caused.
fn record_as(
    cx: &Context<'_>,
    space: &Space,
    actor: impl Into<Option<UserId>>,
    event: Event,
) -> Result<()> {
    let event = NewEvent::new(event).by(actor).organization(space.organization).space(space.id);
    cx.tx.record(&event)?;
    Ok(())
}
