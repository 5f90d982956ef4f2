//! Revisions of spaces: the rows that point to the revisions' objects, and the Git commits they
//! came from.

use bindery_model::{ChangeRequestId, RevisionId, SpaceId, Timestamp, UserId};
use bindery_revision::Hash;

use crate::record::{Columns, FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

record! {
    /// A revision as stored.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct RevisionRow in revisions as r {
        /// Its id.
        pub id: RevisionId,
        /// The object that contains it.
        pub object: Hash,
        /// The author.
        pub author: Option<UserId>,
        /// Time of creation.
        pub created_at: Timestamp,
        /// The change request that it belongs to.
        pub change_request: Option<ChangeRequestId>,
        /// `true` if it is or was the main content of its space.
        pub in_history: bool = "r.position IS NOT NULL",
    }
}

record! {
    /// The Git import that created a revision or one of its ancestors.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct ImportBase in revisions as r {
        /// The object of the revision that the import created.
        pub object: Hash = synced_object,
        /// The paths and blobs of its commit, encoded.
        pub state: Vec<u8> = synced_state,
    }
}

impl FromRow for Option<ImportBase> {
    fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError> {
        match columns.read::<(Option<Hash>, Option<Vec<u8>>)>()? {
            (None, _) => Ok(None),
            (Some(object), Some(state)) => Ok(Some(ImportBase { object, state })),
            (Some(_), None) => Err(StoreError::Corrupt("an import without its state".to_owned())),
        }
    }
}

record! {
    /// The Git commit that a revision was imported from or exported as.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Commit in revision_commits as c, insert {
        /// The commit's id, in hexadecimal.
        pub oid: String,
        /// Its message.
        pub message: String,
        /// The ref that was imported.
        pub reference: String = ref,
        /// The URL at which people see the commit.
        pub url: Option<String>,
        /// The map of paths and blobs at this commit, encoded.
        pub state: Vec<u8>,
        /// `true` if an export made the commit, `false` if it was imported.
        pub created_here: bool,
    }
}

/// Inserts a new revision of a space. A revision with `in_history` gets the next position in the
/// history.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, space: SpaceId, revision: &RevisionRow) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO revisions (space, id, object, author, created_at, change_request, position) \
         VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $7 = 1 THEN \
         (SELECT COALESCE(MAX(r.position), 0) + 1 FROM revisions r WHERE r.space = $1) END)",
        &[
            space.into(),
            revision.id.into(),
            revision.object.as_bytes().as_slice().into(),
            revision.author.into(),
            revision.created_at.into(),
            revision.change_request.into(),
            revision.in_history.into(),
        ],
    )?;
    Ok(())
}

/// Returns the revision of a space with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, space: SpaceId, id: RevisionId) -> Result<Option<RevisionRow>, StoreError> {
    tx.query_opt(
        sql!(RevisionRow::SELECT, " WHERE r.space = $1 AND r.id = $2"),
        &[space.into(), id.into()],
        RevisionRow::from_row,
    )
}

/// Returns the newest revision in the history of a space's main content that has this object.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_object(
    tx: &Tx<'_>,
    space: SpaceId,
    object: &Hash,
) -> Result<Option<RevisionRow>, StoreError> {
    tx.query_opt(
        sql!(
            RevisionRow::SELECT,
            " WHERE r.space = $1 AND r.object = $2 AND r.position IS NOT NULL \
             ORDER BY r.position DESC LIMIT 1"
        ),
        &[space.into(), object.as_bytes().as_slice().into()],
        RevisionRow::from_row,
    )
}

/// Returns the history of a space's main content, newest first, limited to positions below
/// `before`. Each revision comes with its position, counted from 1.
///
/// # Errors
/// Returns an error if the store fails.
pub fn history(
    tx: &Tx<'_>,
    space: SpaceId,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<(i64, RevisionRow)>, StoreError> {
    tx.query(
        sql!(
            "SELECT r.position, ",
            RevisionRow::COLUMNS,
            " FROM revisions r WHERE r.space = $1 AND r.position < $2 \
             ORDER BY r.position DESC LIMIT $3"
        ),
        &[space.into(), before.unwrap_or(i64::MAX).into(), limit.into()],
        FromRow::from_row,
    )
}

/// Records the authors of a revision beside the one that it names, in their order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn add_authors(
    tx: &Tx<'_>,
    space: SpaceId,
    revision: RevisionId,
    authors: &[UserId],
) -> Result<(), StoreError> {
    for (position, user) in (0_i64..).zip(authors) {
        tx.execute(
            "INSERT INTO revision_authors (space, revision, user_id, position) \
             VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            &[space.into(), revision.into(), user.into(), position.into()],
        )?;
    }
    Ok(())
}

/// Returns the authors of a revision beside the one that it names.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_authors(
    tx: &Tx<'_>,
    space: SpaceId,
    revision: RevisionId,
) -> Result<Vec<UserId>, StoreError> {
    tx.query(
        "SELECT user_id FROM revision_authors WHERE space = $1 AND revision = $2 ORDER BY position",
        &[space.into(), revision.into()],
        FromRow::from_row,
    )
}

/// Returns the number of revisions in the history of a space's main content.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_history(tx: &Tx<'_>, space: SpaceId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COALESCE(MAX(r.position), 0) FROM revisions r WHERE r.space = $1",
        &[space.into()],
        FromRow::from_row,
    )
}

/// Records the commit that a revision was imported from or exported as. The first commit of a
/// revision stays.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_commit(
    tx: &Tx<'_>,
    space: SpaceId,
    revision: RevisionId,
    commit: &Commit,
) -> Result<(), StoreError> {
    let mut values = commit.values();
    values.extend([space.into(), revision.into()]);
    tx.execute(
        sql!(insert!(Commit, space, revision), " ON CONFLICT (space, revision) DO NOTHING"),
        &values,
    )?;
    Ok(())
}

/// Returns the commit that a revision was imported from.
///
/// # Errors
/// Returns an error if the store fails.
pub fn commit(
    tx: &Tx<'_>,
    space: SpaceId,
    revision: RevisionId,
) -> Result<Option<Commit>, StoreError> {
    tx.query_opt(
        sql!(Commit::SELECT, " WHERE c.space = $1 AND c.revision = $2"),
        &[space.into(), revision.into()],
        Commit::from_row,
    )
}

/// Records the Git import that a revision descends from.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_import_base(
    tx: &Tx<'_>,
    space: SpaceId,
    revision: RevisionId,
    synced: &ImportBase,
) -> Result<(), StoreError> {
    update_import_base(tx, "id = $2", space, revision, synced)
}

/// Records the synchronisation that a revision of a space's history descends from, for it and for
/// all later ones.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_import_base_from(
    tx: &Tx<'_>,
    space: SpaceId,
    revision: RevisionId,
    synced: &ImportBase,
) -> Result<(), StoreError> {
    let later = "position >= (SELECT r.position FROM revisions r WHERE r.space = $1 AND r.id = $2)";
    update_import_base(tx, later, space, revision, synced)
}

/// Records a synchronisation for the revisions of a space that `condition` selects.
fn update_import_base(
    tx: &Tx<'_>,
    condition: &'static str,
    space: SpaceId,
    revision: RevisionId,
    synced: &ImportBase,
) -> Result<(), StoreError> {
    let sql = format!(
        "UPDATE revisions SET synced_object = $3, synced_state = $4 \
         WHERE space = $1 AND {condition}"
    );
    tx.execute(
        &sql,
        &[
            space.into(),
            revision.into(),
            synced.object.as_bytes().as_slice().into(),
            synced.state.as_slice().into(),
        ],
    )?;
    Ok(())
}

/// Returns the Git import that a revision descends from, or `None` if there is none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn import_base(
    tx: &Tx<'_>,
    space: SpaceId,
    revision: RevisionId,
) -> Result<Option<ImportBase>, StoreError> {
    tx.query_opt(
        sql!(
            ImportBase::SELECT,
            " WHERE r.space = $1 AND r.id = $2 AND r.synced_object IS NOT NULL"
        ),
        &[space.into(), revision.into()],
        ImportBase::from_row,
    )
}

record! {
    /// A revision as the garbage collector of objects needs it.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct GcRoot in revisions as r {
        /// Its space.
        pub space: SpaceId,
        /// Its id.
        pub revision: RevisionId = id,
        /// The object that contains it.
        pub object: Hash,
        /// The Git state of the commit that it was imported from, encoded.
        pub state: Option<Vec<u8>> = "c.state",
        /// The import from Git that it descends from.
        pub synced: Option<ImportBase> = (synced_object, synced_state),
    }
}

/// Returns the revisions of all spaces, sorted by space id and revision id, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_gc_roots(
    tx: &Tx<'_>,
    after: Option<(SpaceId, RevisionId)>,
    limit: u32,
) -> Result<Vec<GcRoot>, StoreError> {
    let (space, revision) = after.unzip();
    tx.query(
        sql!(
            GcRoot::SELECT,
            " LEFT JOIN revision_commits c ON c.space = r.space AND c.revision = r.id \
             WHERE (r.space, r.id) > ($1, $2) ORDER BY r.space, r.id LIMIT $3"
        ),
        &[text(space).into(), text(revision).into(), limit.into()],
        GcRoot::from_row,
    )
}

/// Returns the id as text, or an empty string, which sorts before all ids.
fn text(id: Option<impl ToString>) -> String {
    id.map_or_else(String::new, |id| id.to_string())
}
