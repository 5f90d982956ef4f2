//! Change requests that the server opens for changes of a repository.

use bindery_model::{ChangeRequestId, RevisionId, Timestamp, UserId};
use bindery_store::change_requests::{self, ChangeRequest, Status};
use bindery_store::spaces::{self, Space};
use bindery_store::{Event, NewEvent, StoreError, Tx, members, revisions, users};

use crate::review::change_requests::counted;

/// Maximum number of revisions that are searched for the person who changed the space last.
const MAX_REVISIONS: u32 = 100;

/// A change request that is to be opened over the head of its space.
#[derive(Clone, Debug)]
pub(super) struct NewProposal {
    pub(super) id: ChangeRequestId,
    /// The revision with its content.
    pub(super) head: RevisionId,
    pub(super) status: Status,
    pub(super) subject: String,
    /// The description, as the JSON of a document.
    pub(super) description: Option<String>,
    pub(super) created_by: UserId,
    /// The person who caused it.
    pub(super) actor: Option<UserId>,
}

/// Opens a change request.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) fn open(
    tx: &Tx<'_>,
    space: &Space,
    new: NewProposal,
    now: Timestamp,
) -> Result<ChangeRequest, StoreError> {
    let NewProposal { id, head, status, subject, description, created_by, actor } = new;
    let row = ChangeRequest {
        id,
        space: space.id,
        number: spaces::next_number(tx, space.id)?,
        status,
        subject,
        description,
        extra: None,
        created_by,
        created_at: now,
        updated_at: now,
        head,
        initial: space.head,
        merged_ancestor: space.head,
        merged: None,
        comments: 0,
    };
    change_requests::create(tx, &row)?;
    spaces::add_counts(tx, space.id, counted(None, Some(row.status)))?;
    let event = Event::ChangeRequestCreated { change_request: row.id, number: row.number };
    record(tx, space, actor, event)?;
    Ok(row)
}

/// Records an event of a space.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) fn record(
    tx: &Tx<'_>,
    space: &Space,
    actor: Option<UserId>,
    event: Event,
) -> Result<(), StoreError> {
    tx.record(&NewEvent::new(event).by(actor).organization(space.organization).space(space.id))?;
    Ok(())
}

/// Returns the person in whose name a change request is opened: the one who caused it, otherwise
/// the one who changed the space last, otherwise an administrator of the organization.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) fn creator(
    tx: &Tx<'_>,
    space: &Space,
    actor: Option<UserId>,
) -> Result<Option<UserId>, StoreError> {
    let history = revisions::history(tx, space.id, None, MAX_REVISIONS)?;
    let authors = history.iter().filter_map(|(_, row)| row.author);
    for user in actor.into_iter().chain(authors) {
        if users::get(tx, user)?.is_some() {
            return Ok(Some(user));
        }
    }
    members::first_administrator(tx, space.organization)
}
