//! The branches of synchronised repositories that agree with change requests.

use bindery_model::{ChangeRequestId, SpaceId, Timestamp};
use bindery_revision::Hash;

use crate::jobs::JobError;
use crate::record::{Columns, FromRow, Insert, Record, ToRow, insert, record, sql};
use crate::{StoreError, Tx, Value};

record! {
    /// A branch of the repository with which a space is synchronised.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct GitBranch in git_branches as b, insert {
        /// The space.
        pub space: SpaceId,
        /// The full name of the branch.
        pub reference: String = ref,
        /// The change request; `None` if the branch has nothing to propose, or has the changes that
        /// a protected branch does not accept.
        pub change_request: Option<ChangeRequestId>,
        /// The commit at the branch after the last transfer; empty if the branch does not exist.
        pub oid: String,
        /// The object of a revision with the content of the commit.
        pub object: Option<Hash>,
        /// The map of paths and blobs of the commit, encoded.
        pub state: Option<Vec<u8>>,
        /// The object of a revision with the content of the change request whose changes the branch
        /// has.
        pub shared: Option<Hash>,
        /// `true` if the server made the branch.
        pub created_here: bool,
        /// `true` if nothing but documentation differs from the commit at which the branch begins.
        pub documentation_only: bool,
        /// The newest known commit of the space's own branch that the branch has.
        pub base: Option<String>,
        /// The pull request at the hosting service.
        pub pull_request: Option<PullRequestOfBranch> =
            (pull_request, pull_request_url, pull_request_title, pull_request_draft),
        /// The commit whose preview was reported to the hosting service.
        pub reported: Option<String>,
        /// The reason why the last transfer failed.
        pub error: Option<JobError> = (error_code, error_message),
        /// Time of the last transfer.
        pub updated_at: Timestamp,
    }
}

/// A pull request of a branch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PullRequestOfBranch {
    /// Its number.
    pub number: i64,
    /// The address at which people see it.
    pub url: String,
    /// The title that it has at the service.
    pub title: String,
    /// `true` if it was marked as not ready for review when it was read last.
    pub draft: bool,
}

impl FromRow for Option<PullRequestOfBranch> {
    fn from_columns(columns: &mut Columns<'_, '_>) -> Result<Self, StoreError> {
        let number: Option<i64> = columns.read()?;
        let (url, title): (Option<String>, Option<String>) = columns.read()?;
        let draft: Option<bool> = columns.read()?;
        Ok(number.map(|number| PullRequestOfBranch {
            number,
            url: url.unwrap_or_default(),
            title: title.unwrap_or_default(),
            draft: draft.unwrap_or_default(),
        }))
    }
}

impl ToRow for Option<PullRequestOfBranch> {
    fn append_to<'a>(&'a self, values: &mut Vec<Value<'a>>) {
        let PullRequestOfBranch { number, url, title, draft } = match self {
            Some(found) => found,
            None => return values.extend([const { Value::Null }; 4]),
        };
        number.append_to(values);
        url.append_to(values);
        title.append_to(values);
        draft.append_to(values);
    }
}

/// Stores a branch. Replaces the one of the same name.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(tx: &Tx<'_>, branch: &GitBranch) -> Result<(), StoreError> {
    delete(tx, branch.space, &branch.reference)?;
    tx.execute(insert!(GitBranch), &branch.values())?;
    Ok(())
}

/// Returns a branch by its full name.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, space: SpaceId, reference: &str) -> Result<Option<GitBranch>, StoreError> {
    tx.query_opt(
        sql!(GitBranch::SELECT, " WHERE b.space = $1 AND b.ref = $2"),
        &[space.into(), reference.into()],
        GitBranch::from_row,
    )
}

/// Returns the branch of a change request.
///
/// # Errors
/// Returns an error if the store fails.
pub fn of_change_request(
    tx: &Tx<'_>,
    change_request: ChangeRequestId,
) -> Result<Option<GitBranch>, StoreError> {
    tx.query_opt(
        sql!(GitBranch::SELECT, " WHERE b.change_request = $1 ORDER BY b.ref LIMIT 1"),
        &[change_request.into()],
        GitBranch::from_row,
    )
}

/// Lists the branches of a space by name, after the name `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    space: SpaceId,
    after: &str,
    limit: u32,
) -> Result<Vec<GitBranch>, StoreError> {
    tx.query(
        sql!(GitBranch::SELECT, " WHERE b.space = $1 AND b.ref > $2 ORDER BY b.ref LIMIT $3"),
        &[space.into(), after.into(), limit.into()],
        GitBranch::from_row,
    )
}

/// Returns the number of branches of a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, space: SpaceId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM git_branches WHERE space = $1",
        &[space.into()],
        FromRow::from_row,
    )
}

/// Forgets a branch.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, space: SpaceId, reference: &str) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM git_branches WHERE space = $1 AND ref = $2",
        &[space.into(), reference.into()],
    )?;
    Ok(())
}

/// Forgets all branches of a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_all(tx: &Tx<'_>, space: SpaceId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM git_branches WHERE space = $1", &[space.into()])?;
    Ok(())
}

/// The objects that a branch needs.
#[derive(Clone, Debug)]
pub struct BranchRoots {
    /// The space and the name, which order the branches.
    pub key: (SpaceId, String),
    /// The revision objects.
    pub objects: Vec<Hash>,
    /// The encoded map of paths and blobs.
    pub state: Option<Vec<u8>>,
}

/// Returns the objects of the first `limit` branches after `after`, in order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_roots(
    tx: &Tx<'_>,
    after: Option<&(SpaceId, String)>,
    limit: u32,
) -> Result<Vec<BranchRoots>, StoreError> {
    let (space, reference) = match after {
        Some((space, reference)) => (space.to_string(), reference.as_str()),
        None => (String::new(), ""),
    };
    tx.query(
        "SELECT b.space, b.ref, b.object, b.shared, b.state FROM git_branches b \
         WHERE b.space > $1 OR (b.space = $1 AND b.ref > $2) ORDER BY b.space, b.ref LIMIT $3",
        &[space.into(), reference.into(), limit.into()],
        |row| {
            let (space, reference, object, shared): (SpaceId, String, Option<Hash>, Option<Hash>) =
                FromRow::from_row(row)?;
            let objects = object.into_iter().chain(shared).collect();
            Ok(BranchRoots { key: (space, reference), objects, state: row.get(4)? })
        },
    )
}
