//! Members who take part in the discussions of a space or a change request.

use bindery_model::{OrganizationId, Timestamp};

use super::Subject;
use crate::members::{self, MemberRow};
use crate::record::FromRow;
use crate::{StoreError, Tx, Value};

/// Returns the SQL condition for a row `m` of members who posted a comment or a reply, with its
/// values.
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

/// Returns the members of an organization who commented on the subject or replied to a comment on
/// it. Sorts them by the time they became members and starts after `after`.
///
/// # Errors
/// Returns an error if the store fails.
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

/// Returns the number of members of an organization who commented on the subject or replied to a
/// comment on it.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_commenters(
    tx: &Tx<'_>,
    subject: Subject,
    organization: OrganizationId,
) -> Result<i64, StoreError> {
    let (condition, values) = condition(subject, organization);
    let sql = format!("SELECT COUNT(*) FROM members m WHERE {condition}");
    tx.query_one(&sql, &values, FromRow::from_row)
}
