//! Revisions: storing a content as the main content of a space or as that of a change request.

use bindery_model::{ChangeRequestId, RevisionId, SpaceId, UserId};
use bindery_revision::{Author, ContentKind, Revision};
use bindery_store::revisions::{self, RevisionRow};
use bindery_store::spaces::Space;
use bindery_store::{Event, NewEvent, StoreError, Tx, sites, spaces};

use crate::content::{computed, git_sync};

/// The result of an attempt to move a head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Committed {
    /// The head was moved to the new revision.
    Done,
    /// The head is at another revision than the expected one.
    Moved,
}

/// Makes a revision the head of a space, if the head is still at `base`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn commit(
    tx: &Tx<'_>,
    space: &Space,
    id: RevisionId,
    base: RevisionId,
    revision: &Revision,
) -> Result<Committed, StoreError> {
    if !spaces::move_head(tx, space.id, base, id, revision.created_at)? {
        return Ok(Committed::Moved);
    }
    store(tx, space.id, id, revision, RevisionOwner::Main)?;
    let revision_kind = kind_name(revision.kind).to_owned();
    tx.record(
        &NewEvent::new(Event::RevisionCreated { before: Some(base), revision: id, revision_kind })
            .by(author(revision))
            .organization(space.organization)
            .space(space.id),
    )?;
    sites::increment_versions_of_space(tx, space.id)?;
    git_sync::head_moved(tx, space, author(revision))?;
    Ok(Committed::Done)
}

/// The owner of a revision's content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RevisionOwner {
    /// The space: the revision is the next one in the history of its main content.
    Main,
    /// A change request.
    ChangeRequest(ChangeRequestId),
    /// None: the revision can be read, but is in no history.
    Nothing,
}

/// Stores a revision of a space. The revision inherits its base from the Git import that its parent
/// is based on. If it has several parents, the one from the main content counts.
///
/// # Errors
/// Returns an error if the store fails.
pub fn store(
    tx: &Tx<'_>,
    space: SpaceId,
    id: RevisionId,
    revision: &Revision,
    of: RevisionOwner,
) -> Result<(), StoreError> {
    let (_, bytes) = revision
        .object()
        .map_err(|error| StoreError::Corrupt(format!("a revision cannot be written: {error}")))?;
    let object = tx.put_object(bytes)?;
    let created_at = revision.created_at;
    let change_request = match of {
        RevisionOwner::ChangeRequest(id) => Some(id),
        RevisionOwner::Main | RevisionOwner::Nothing => None,
    };
    let in_history = of == RevisionOwner::Main;
    let author = author(revision);
    let row = RevisionRow { id, object, author, created_at, change_request, in_history };
    revisions::create(tx, space, &row)?;
    computed::store(tx, space, &row.object, revision)?;
    // In an update of a change request, the last parent is the main content.
    let heir_of = match revision.kind {
        ContentKind::Update => revision.parents.last(),
        _ => revision.parents.first(),
    };
    if let Some(parent) = heir_of
        && let Some(synced) = revisions::import_base(tx, space, *parent)?
    {
        revisions::set_import_base(tx, space, id, &synced)?;
    }
    Ok(())
}

/// Returns the user who made a revision; `None` for the system.
const fn author(revision: &Revision) -> Option<UserId> {
    match revision.author {
        Author::User(user) => Some(user),
        Author::System => None,
    }
}

/// Returns the API contract's name of a revision's kind.
pub const fn kind_name(kind: ContentKind) -> &'static str {
    match kind {
        ContentKind::Edits => "edits",
        ContentKind::Merge => "merge",
        ContentKind::Update => "update",
        ContentKind::Rollback => "rollback",
        ContentKind::Computed => "computed",
    }
}
