//! The authors of a commit: the people whose changes it contains.

use bindery_git::export::Person;
use bindery_model::{ChangeRequestId, RevisionId, SpaceId, Timestamp, UserId};
use bindery_revision::{Author, Record, Revision};
use bindery_store::change_requests::{self, Contribution};
use bindery_store::{StoreError, Tx, revisions, users};

/// Maximum number of revisions whose authors are read.
const MAX_REVISIONS: u32 = 500;
/// Maximum number of authors of a commit.
const MAX_AUTHORS: usize = 50;

/// Returns the authors of the changes of a space's main content after the revision `since`, or of its
/// latest changes. The author of the oldest change comes first. Imports are changes of the
/// repository.
pub(in crate::content) fn since(
    tx: &Tx<'_>,
    space: SpaceId,
    head: RevisionId,
    since: Option<RevisionId>,
) -> Result<Vec<Person>, StoreError> {
    let mut ids: Vec<UserId> = Vec::new();
    let mut has_begun = false;
    for (_, row) in revisions::history(tx, space, None, MAX_REVISIONS)? {
        has_begun |= row.id == head;
        if !has_begun {
            continue;
        }
        if Some(row.id) == since {
            break;
        }
        let revision = tx.object(&row.object).and_then(|bytes| {
            Revision::decode(&bytes).map_err(|error| StoreError::Corrupt(error.to_string()))
        })?;
        if revision.parents.len() < 2
            && revisions::commit(tx, space, row.id)?.is_some_and(|commit| !commit.created_here)
        {
            continue;
        }
        let mut of_revision = match revision.parents.get(1) {
            Some(merged) => contributors(tx, space, *merged)?,
            None => Vec::new(),
        };
        if of_revision.is_empty()
            && let Author::User(user) = revision.author
        {
            of_revision.push(user);
            of_revision.extend(revisions::list_authors(tx, space, row.id)?);
        }
        ids.splice(0..0, of_revision);
    }
    let mut distinct: Vec<UserId> = Vec::new();
    for id in ids {
        if !distinct.contains(&id) && distinct.len() < MAX_AUTHORS {
            distinct.push(id);
        }
    }
    people(tx, &distinct)
}

/// Returns these people as authors of a commit.
pub(in crate::content) fn people(tx: &Tx<'_>, ids: &[UserId]) -> Result<Vec<Person>, StoreError> {
    let known = users::get_many(tx, ids)?;
    let person = |id: &UserId| {
        let user = known.get(id)?;
        Some(Person { name: user.display_name.clone(), mail: user.email.clone() })
    };
    Ok(ids.iter().filter_map(person).collect())
}

/// Returns the people who edited a change request after a time, in the order of their last edits.
pub(in crate::content) fn of_change_request(
    tx: &Tx<'_>,
    change_request: ChangeRequestId,
    after: Option<Timestamp>,
) -> Result<Vec<UserId>, StoreError> {
    let mut found = change_requests::list_contributors(tx, change_request)?;
    found.retain(|contributor| {
        contributor.kind == Contribution::Edit
            && after.is_none_or(|after| contributor.last_at > after)
    });
    Ok(found.iter().rev().map(|contributor| contributor.user).take(MAX_AUTHORS).collect())
}

/// Returns the people who edited the change request of a merged revision, in the order of their
/// last edits.
fn contributors(
    tx: &Tx<'_>,
    space: SpaceId,
    merged: RevisionId,
) -> Result<Vec<UserId>, StoreError> {
    let row = revisions::get(tx, space, merged)?;
    let Some(change_request) = row.and_then(|row| row.change_request) else {
        return Ok(Vec::new());
    };
    of_change_request(tx, change_request, None)
}
