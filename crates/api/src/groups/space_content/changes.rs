//! Semantic changes of a revision, of a change request and between any two revisions.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::spaces::Space;
use bindery_app::review::change_requests::{self, ChangeRequestTarget};
use bindery_model::{Error, Result, RevisionId};

use super::LoadedRevision;
use crate::call::Call;
use crate::operation::{Operation, read_long};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read_long("getRevisionSemanticChanges", Action::ReadSpace, of_revision),
        read_long("compareRevisions", Action::ReadSpace, of_any_two),
    ]
}

/// Maximum number of changes in an answer.
const MAX_CHANGES: u64 = 1_000;

fn limit(call: &Call) -> Result<usize> {
    let limit = call.query().number("limit").filter(|limit| (1..=MAX_CHANGES).contains(limit));
    limit.and_then(|limit| usize::try_from(limit).ok()).ok_or_else(|| {
        Error::invalid(format!(
            "query parameter \"limit\": found {}, allowed: a whole number of 1 to {MAX_CHANGES}",
            call.query().text("limit").unwrap_or("no whole number"),
        ))
    })
}

fn of_revision(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let limit = limit(call)?;
    let after = LoadedRevision::of(cx, &**space, call)?;
    let merged_from = change_requests::merged_into(cx.tx, after.snapshot())?
        .map(|view| present::change_request(cx.app, view))
        .transpose()?;
    let Some(parent) = after.snapshot().revision.parents.first() else {
        let none = bindery_wire::response::RevisionSemanticChanges {
            merged_from,
            changes: Vec::new(),
            more: None,
        };
        return Reply::json(200, &none);
    };
    let before = LoadedRevision::at(cx, space, call, *parent)?;
    let changes = present::semantic_changes(&before.view(), &after.view(), limit, merged_from)?;
    Reply::json(200, &changes)
}

/// `getChangeRequestChanges`: compares with the main content that the change request contains. For
/// a merged change request, this is the main content before the merge.
pub(in crate::groups) fn of_change_request(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    call: &Call,
) -> Result<Reply> {
    let limit = limit(call)?;
    let before =
        LoadedRevision::at(cx, &target.space, call, target.change_request.merged_ancestor)?;
    let after = LoadedRevision::of(cx, &**target, call)?;
    let changes = present::semantic_changes(&before.view(), &after.view(), limit, None)?;
    Ok(Reply::json(200, &changes)?.with_revision_etag(target.change_request.head))
}

/// Loads the space at the revision in a query parameter.
pub(in crate::groups) fn at_query<'a>(
    cx: &Context<'a>,
    space: &Space,
    call: &Call,
    name: &str,
) -> Result<LoadedRevision<'a>> {
    let missing = || Error::not_found(&format!("query parameter {name:?}: revision"));
    let id = call.query().text(name).and_then(RevisionId::parse).ok_or_else(missing)?;
    LoadedRevision::at(cx, space, call, id).map_err(|error| match error.kind() {
        bindery_model::ErrorKind::NotFound => missing(),
        _ => error,
    })
}

fn of_any_two(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let limit = limit(call)?;
    let (before, after) = (at_query(cx, space, call, "from")?, at_query(cx, space, call, "to")?);
    let changes = present::semantic_changes(&before.view(), &after.view(), limit, None)?;
    Reply::json(200, &changes)
}
