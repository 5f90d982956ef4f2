//! Conflicts between a change request and the main content, and their resolution.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bindery_model::{Error, Result, RevisionId};
use bindery_revision::merge::{self as contents, Choice, Conflict, ResolveError};
use bindery_revision::{ContentKind, Staging};
use bindery_store::change_requests::Status;

use super::ChangeRequestTarget;
use super::content::advance;
use crate::Context;
use crate::content::{Snapshot, broken_object, broken_tree, put_staged};
use crate::content_changes::BodyLocation;
use crate::texts::DocumentBodies;

/// The id of a conflict, the same for as long as it is open.
///
/// # Errors
/// Never for the conflicts that there are.
pub fn conflict_id(conflict: &Conflict) -> Result<String> {
    Ok(URL_SAFE_NO_PAD.encode(conflict.key().map_err(broken_object)?))
}

/// The open conflicts of a change request from the one behind `after` on, at most `limit`; with how
/// many there are.
///
/// # Errors
/// When the store fails.
pub fn conflicts(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    after: Option<&str>,
    limit: usize,
) -> Result<(Vec<Conflict>, u64)> {
    let head = Some(target.change_request.head);
    let snapshot = Snapshot::of(cx.app, cx.tx, &target.space, head)?;
    let content = &snapshot.revision.content;
    let objects = cx.tx.objects();
    let mut found = Vec::new();
    let after = after.and_then(|id| URL_SAFE_NO_PAD.decode(id).ok());
    for conflict in contents::conflicts(content, &objects) {
        let conflict = conflict.map_err(broken_object)?;
        let key = conflict.key().map_err(broken_object)?;
        if after.as_ref().is_some_and(|after| key.as_ref() <= after.as_slice()) {
            continue;
        }
        found.push(conflict);
        if found.len() == limit {
            break;
        }
    }
    Ok((found, content.conflicts.len()))
}

/// Decides conflicts: those with these ids, or all. Gives the revision that holds the decisions,
/// and how many conflicts are open still.
///
/// # Errors
/// 409 when the change request is merged; 404 for a conflict that is not open; 409 where a choice
/// is not possible any more.
pub fn resolve_conflicts(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    choice: &Choice,
    ids: Option<&[String]>,
) -> Result<(RevisionId, u64)> {
    let row = &target.change_request;
    if row.status == Status::Merged {
        return Err(Error::conflict("the change request is merged: nothing is open in it"));
    }
    let snapshot = Snapshot::of(cx.app, cx.tx, &target.space, Some(row.head))?;
    let before = &snapshot.revision.content;
    let objects = cx.tx.objects();
    let mut staging = Staging::new(&objects);
    let (mut bodies, now) = (DocumentBodies, cx.now());
    let after = match ids {
        None => contents::resolve_all(before, &mut staging, choice, &mut bodies, now)
            .map_err(|error| impossible(&BodyLocation::new("/choice"), error))?,
        Some(ids) => {
            let mut content = before.clone();
            for (index, id) in ids.iter().enumerate() {
                let at = BodyLocation::new(format!("/conflicts/{index}"));
                let key = URL_SAFE_NO_PAD.decode(id).map_err(|_| at.missing("conflict"))?;
                let choice = choice.clone();
                content = contents::resolve(&content, &mut staging, &key, choice, &mut bodies, now)
                    .map_err(|error| impossible(&at, error))?;
            }
            content
        }
    };
    let open = after.conflicts.len();
    if after == *before {
        return Ok((row.head, open));
    }
    put_staged(cx.tx, staging, &after)?;
    let id = advance(cx, target, ContentKind::Edits, vec![row.head], after)?;
    Ok((id, open))
}

fn impossible(at: &BodyLocation, error: ResolveError) -> Error {
    match error {
        ResolveError::NotFound => at.missing("conflict"),
        ResolveError::WrongKind => at.invalid("this choice does not fit the conflict"),
        ResolveError::Tree(
            error @ (bindery_revision::tree::TreeError::Object(_)
            | bindery_revision::tree::TreeError::NotASibling(_)),
        ) => broken_tree(error),
        ResolveError::Tree(error) => at.conflict(format_args!(
            "{error}; decide the conflict about that page first, or choose another side"
        )),
    }
}
