//! Who takes part in the discussions of a space or a change request.

use bindery_model::{OrganizationId, Timestamp};

use super::Subject;
use crate::members::{self, MemberRow};
use crate::{StoreError, Tx, Value};

/// What a row `m` of members must fulfil: a comment of theirs is there, or a reply.
fn condition(subject: Subject, organization: OrganizationId) -> (String, Vec<Value<'static>>) {
    let mut values = vec![Value::from(organization)];
    let about = subject.condition("c", &mut values);
    let condition = format!(
        "m.organization = $1 AND m.user_id IN (\
         SELECT c.posted_by FROM comments c WHERE {about} UNION \
         SELECT r.posted_by FROM comments c JOIN comment_replies r ON r.comment = c.id \
         WHERE {about})"
    );
    (condition, values)
}

/// The members of an organization who commented on something or replied to a comment on it, in
/// the order in which they became members, after the given place.
///
/// # Errors
/// When the store fails.
pub fn list_commenters(
    tx: &Tx<'_>,
    subject: Subject,
    organization: OrganizationId,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<MemberRow>, StoreError> {
    let (condition, values) = condition(subject, organization);
    members::list_where(tx, organization, &condition, values, after, limit)
}

/// How many members of an organization commented on something or replied to a comment on it.
///
/// # Errors
/// When the store fails.
pub fn count_commenters(
    tx: &Tx<'_>,
    subject: Subject,
    organization: OrganizationId,
) -> Result<i64, StoreError> {
    let (condition, values) = condition(subject, organization);
    let sql = format!("SELECT COUNT(*) FROM members m WHERE {condition}");
    tx.query_one(&sql, &values, |row| row.get(0))
}
