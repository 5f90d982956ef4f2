//! The steps and revisions that are kept of what people typed.
//!
//! A text is saved every few seconds, so that readers and programs see it. In a change request, each
//! save of ten minutes takes the place of the one before it. The revisions that lost their place stay
//! for an hour, for clients that have read them.

use bindery_model::{Result, RevisionId, Timestamp};
use bindery_store::amended_revisions::{self, Amendment};
use bindery_store::change_requests::ChangeRequest;
use bindery_store::spaces::Space;
use bindery_store::{Store, StoreError, editing as rows, git_branches};

use super::save::KEPT;
use crate::Context;
use crate::content::snapshot::Snapshot;

/// Maximum time between the texts that one revision contains, in milliseconds.
const PERIOD: i64 = 10 * 60_000;
/// Time for which a revision remains after another one took its place, in milliseconds.
const SUPERSEDED_KEPT: i64 = 60 * 60_000;
/// Maximum number of revisions that one transaction deletes.
const AT_ONCE: u32 = 256;

/// The place of a revision with what people typed.
pub(super) struct Place {
    /// Its parents.
    pub(super) parents: Vec<RevisionId>,
    /// Its relation to the head.
    pub(super) amendment: Amendment,
}

/// Returns the place of a revision that is typed into a change request now. It takes that of the
/// head if the head has only what was typed in the last minutes. The head of a change request with a
/// branch stays, because the commits of the branch name the author of each revision.
pub(super) fn place(
    cx: &Context<'_>,
    space: &Space,
    change_request: &ChangeRequest,
) -> Result<Place> {
    let head = change_request.head;
    let amendment = amended_revisions::get(cx.tx, space.id, head)?;
    let begin = cx.now().plus_millis(-PERIOD);
    let typed_since = amendment.and_then(|amendment| amendment.typed_since);
    let Some(since) = typed_since.filter(|since| *since > begin) else {
        return Ok(after(head, cx.now()));
    };
    if git_branches::of_change_request(cx.tx, change_request.id)?.is_some() {
        return Ok(after(head, cx.now()));
    }
    let parents = Snapshot::of(cx.app, cx.tx, space, Some(head))?.revision.parents.clone();
    let amendment = Amendment { typed_since: Some(since), supersedes: Some(head) };
    Ok(Place { parents, amendment })
}

/// Returns the place after the head.
fn after(head: RevisionId, now: Timestamp) -> Place {
    let amendment = Amendment { typed_since: Some(now), supersedes: None };
    Place { parents: vec![head], amendment }
}

/// Deletes steps that are saved and that no client can be behind any more, and revisions whose place
/// others took.
///
/// # Errors
/// Returns an error if the store fails.
pub async fn compact(store: &Store) -> std::result::Result<(), StoreError> {
    let steps =
        store.write(|tx| rows::delete_saved_batches(tx, tx.now().plus_millis(-KEPT))).await?;
    let mut revisions = 0;
    loop {
        let delete = store.write(|tx| {
            let before = tx.now().plus_millis(-SUPERSEDED_KEPT);
            amended_revisions::delete_superseded(tx, before, AT_ONCE)
        });
        match delete.await? {
            0 => break,
            more => revisions += more,
        }
    }
    tracing::debug!(steps, revisions, "histories of edited pages are compacted");
    Ok(())
}
