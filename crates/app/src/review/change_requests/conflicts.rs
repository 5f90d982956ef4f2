//! Conflicts between a change request and the main content, and their resolution.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bindery_model::{Error, FieldPath, Result, RevisionId};
use bindery_revision::merge::{self as contents, Choice, Conflict, ResolveError};
use bindery_revision::{ContentKind, Staging};
use bindery_store::change_requests::Status;

use super::content::Advance;
use super::{ChangeRequestTarget, author};
use crate::Context;
use crate::content::snapshot::{Snapshot, broken_object, broken_tree, put_staged};
use crate::content::texts::DocumentBodies;
use crate::review::editing;

/// Returns the id of a conflict. The id stays the same while the conflict is open.
///
/// # Errors
/// Returns an error if the key of the conflict cannot be encoded, which does not happen for
/// existing conflicts.
pub fn conflict_id(conflict: &Conflict) -> Result<String> {
    Ok(URL_SAFE_NO_PAD.encode(conflict.key().map_err(broken_object)?))
}

/// Returns at most `limit` open conflicts of a change request after the cursor `after`, and the
/// number of all open conflicts.
///
/// # Errors
/// Returns an error if the store fails.
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

/// Resolves the conflicts with these ids, or all conflicts. Returns the revision with the
/// resolutions and the number of remaining conflicts.
///
/// # Errors
/// Returns 409 if the change request is merged, 404 if a conflict is not open, and 409 if a choice
/// can no longer be applied.
pub fn resolve_conflicts(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    choice: &Choice,
    ids: Option<&[String]>,
) -> Result<(RevisionId, u64)> {
    let target = &editing::save_target(cx, target)?;
    let row = &target.change_request;
    if row.status == Status::Merged {
        return Err(Error::conflict("the change request is merged: it has no open conflicts"));
    }
    let snapshot = Snapshot::of(cx.app, cx.tx, &target.space, Some(row.head))?;
    let before = &snapshot.revision.content;
    let objects = cx.tx.objects();
    let mut staging = Staging::new(&objects);
    let (mut bodies, now) = (DocumentBodies, cx.now());
    let after = match ids {
        None => contents::resolve_all(before, &mut staging, choice, &mut bodies, now)
            .map_err(|error| impossible(&FieldPath::new("/choice"), error))?,
        Some(ids) => {
            let mut content = before.clone();
            for (index, id) in ids.iter().enumerate() {
                let at = FieldPath::new("/conflicts").field(index);
                let key = URL_SAFE_NO_PAD.decode(id).map_err(|_| at.not_found("conflict"))?;
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
    let (kind, parents) = (ContentKind::Edits, vec![row.head]);
    let id = Advance { kind, parents, author: author(cx)? }.to(cx, target, after)?;
    Ok((id, open))
}

fn impossible(at: &FieldPath, error: ResolveError) -> Error {
    match error {
        ResolveError::NotFound => at.not_found("conflict"),
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
