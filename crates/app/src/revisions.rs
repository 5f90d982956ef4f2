//! Revisions: how a content becomes the main content of a space or that of a change request.

use bindery_model::{ChangeRequestId, RevisionId, SpaceId, UserId};
use bindery_revision::{Author, ContentKind, Revision};
use bindery_store::revisions::{self, RevisionRow};
use bindery_store::spaces::Space;
use bindery_store::{Event, NewEvent, StoreError, Tx, sites, spaces};

/// How an attempt to move a head ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Committed {
    /// It is the content now.
    Done,
    /// The head is not where it was expected.
    Moved,
}

/// Makes a revision the head of a space, if the head is still where it was.
///
/// # Errors
/// When the store fails.
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
    store(tx, space.id, id, revision, Of::Main)?;
    let revision_kind = kind_name(revision.kind).to_owned();
    tx.record(
        &NewEvent::new(Event::RevisionCreated { before: Some(base), revision: id, revision_kind })
            .by(author(revision))
            .organization(space.organization)
            .space(space.id),
    )?;
    sites::increment_versions_of_space(tx, space.id)?;
    Ok(Committed::Done)
}

/// Whose content a revision is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of {
    /// The space's: the revision comes next in the history of its main content.
    Main,
    /// A change request's.
    ChangeRequest(ChangeRequestId),
    /// Nobody's: it can be read, and changes nothing.
    Nothing,
}

/// Stores a revision of a space. It descends from the import from Git that its parent descends
/// from; where there are several parents, from that of the main content.
///
/// # Errors
/// When the store fails.
pub fn store(
    tx: &Tx<'_>,
    space: SpaceId,
    id: RevisionId,
    revision: &Revision,
    of: Of,
) -> Result<(), StoreError> {
    let (_, bytes) = revision
        .object()
        .map_err(|error| StoreError::Corrupt(format!("a revision cannot be written: {error}")))?;
    let object = tx.put_object(bytes)?;
    let created_at = revision.created_at;
    let change_request = match of {
        Of::ChangeRequest(id) => Some(id),
        Of::Main | Of::Nothing => None,
    };
    let in_history = of == Of::Main;
    let author = author(revision);
    let row = RevisionRow { id, object, author, created_at, change_request, in_history };
    revisions::create(tx, space, &row)?;
    // An update of a change request names the main content last.
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

/// The person who made a revision.
const fn author(revision: &Revision) -> Option<UserId> {
    match revision.author {
        Author::User(user) => Some(user),
        Author::System => None,
    }
}

/// The contract's word for how a revision came to be.
pub const fn kind_name(kind: ContentKind) -> &'static str {
    match kind {
        ContentKind::Edits => "edits",
        ContentKind::Merge => "merge",
        ContentKind::Update => "update",
        ContentKind::Rollback => "rollback",
        ContentKind::Computed => "computed",
    }
}
