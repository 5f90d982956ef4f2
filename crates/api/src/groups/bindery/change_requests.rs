//! Operations of change requests that the contract lacks: conflicts, discarding the changes of a
//! page, custom properties.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::content_changes::ContentChange;
use bindery_app::review::change_requests::{self, ChangeRequestTarget};
use bindery_app::review::editing::MadeFor;
use bindery_model::{Error, PageId, Result};
use bindery_revision::merge::Choice;
use bindery_wire::request::{DiscardChangeRequestPageBody, ResolveConflicts};
use bindery_wire::response::{
    ChangeRequestProperties, DiscardChangeRequestPageResponse, ResolvedConflicts,
};
use bindery_wire::values::ConflictChoice;

use crate::call::Call;
use crate::lists::Page;
use crate::operation::{Operation, read, read_long, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read_long("listChangeRequestConflicts", Action::ReadSpace, conflicts),
        read("getChangeRequestProperties", Action::ReadSpace, properties),
        write("resolveChangeRequestConflicts", Action::EditChangeRequest, resolve),
        write("discardChangeRequestPage", Action::EditChangeRequest, discard),
    ]
}

fn conflicts(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    call: &Call,
) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let limit = usize::try_from(page.rows()).unwrap_or(usize::MAX);
    let (found, count) = change_requests::conflicts(cx, target, page.after(), limit)?;
    let objects = cx.tx.objects();
    let list = page.list(
        found,
        i64::try_from(count).unwrap_or(i64::MAX),
        |conflict| change_requests::conflict_id(conflict).unwrap_or_default(),
        |conflict| present::conflict(cx.app, target.space.id, &objects, conflict),
    )?;
    Ok(Reply::json(200, &list)?.with_revision_etag(target.change_request.head))
}

fn properties(
    _: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    _: &Call,
) -> Result<Reply> {
    let stored = target.change_request.extra.as_deref().unwrap_or("{}");
    let properties = serde_json::from_str(stored)
        .map_err(|error| Error::internal(format!("stored properties are not JSON: {error}")))?;
    Reply::json(200, &ChangeRequestProperties { properties })
}

fn resolve(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    call: &Call,
) -> Result<Reply> {
    call.check_if_match(target.change_request.head)?;
    let ResolveConflicts { choice, conflicts } = call.body()?;
    // "Ours" is the change request's side of a conflict.
    let choice = match choice {
        ConflictChoice::Base => Choice::Base,
        ConflictChoice::Proposed => Choice::Ours,
        ConflictChoice::Main => Choice::Theirs,
        ConflictChoice::Current => Choice::Current,
    };
    let (revision, open) =
        change_requests::resolve_conflicts(cx, target, &choice, conflicts.as_deref())?;
    let answer = ResolvedConflicts { revision: revision.to_string(), conflicts: open };
    Ok(Reply::json(200, &answer)?.with_revision_etag(revision))
}

fn discard(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    call: &Call,
) -> Result<Reply> {
    call.check_if_match(target.change_request.head)?;
    let DiscardChangeRequestPageBody { page } = call.body()?;
    let page = PageId::parse(&page).ok_or_else(|| Error::not_found("body at /page: page"))?;
    let change = ContentChange::RevertPage { page, to: None, blocks: None };
    let (revision, _) = change_requests::change_content(cx, target, vec![change], MadeFor::Head)?;
    let answer = DiscardChangeRequestPageResponse { revision: revision.to_string() };
    Ok(Reply::json(200, &answer)?.with_revision_etag(revision))
}
