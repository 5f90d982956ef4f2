//! Notifications of users about comments, reviews and merges, and the settings of notifications.

use bindery_model::{
    ChangeRequestId, CommentId, CommentReplyId, JobId, NotificationId, NotificationKind, SpaceId,
    Timestamp, UserId,
};

use crate::change_request_reviews::Verdict;
use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::spaces::SpaceFilter;
use crate::value::placeholders;
use crate::{StoreError, Tx, Value};

record! {
    /// A notification as stored.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Notification in notifications as n, insert {
        /// Its id.
        pub id: NotificationId,
        /// The user who is notified.
        pub user: UserId = user_id,
        /// The reason.
        pub kind: NotificationKind,
        /// The user whose action it reports.
        pub actor: UserId,
        /// The space.
        pub space: SpaceId,
        /// The change request; `None` if it is about the main content.
        pub change_request: Option<ChangeRequestId>,
        /// The comment.
        pub comment: Option<CommentId>,
        /// The reply to the comment.
        pub reply: Option<CommentReplyId>,
        /// The verdict of the review.
        pub verdict: Option<Verdict>,
        /// Time of the action.
        pub created_at: Timestamp,
        /// Time at which the user read it.
        pub read_at: Option<Timestamp>,
        /// The job whose mail contains it.
        pub mail_job: Option<JobId>,
    }
}

/// Selects the notifications of a user.
#[derive(Clone, Copy, Debug)]
pub struct NotificationFilter<'a> {
    /// The user.
    pub user: UserId,
    /// The spaces that the user sees.
    pub spaces: &'a SpaceFilter<'a>,
    /// `true` for read notifications, `false` for unread ones; `None` for both.
    pub read: Option<bool>,
}

impl NotificationFilter<'_> {
    /// Returns the condition for a row `n` of `notifications`, whose values are appended.
    fn sql(&self, values: &mut Vec<Value<'static>>) -> String {
        values.push(self.user.into());
        let user = values.len();
        let read = match self.read {
            None => "",
            Some(true) => " AND n.read_at IS NOT NULL",
            Some(false) => " AND n.read_at IS NULL",
        };
        let seen = self.spaces.conditions(values).join(" AND ");
        format!(
            "n.user_id = ${user}{read} AND EXISTS (SELECT 1 FROM spaces s \
             WHERE s.id = n.space AND s.deleted_at IS NULL AND {seen})"
        )
    }
}

/// Inserts a notification.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, notification: &Notification) -> Result<(), StoreError> {
    tx.execute(insert!(Notification), &notification.values())?;
    Ok(())
}

/// Returns notifications, newest first, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    filter: &NotificationFilter<'_>,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<Notification>, StoreError> {
    let mut values = Vec::new();
    let condition = filter.sql(&mut values);
    let mut sql = format!("{} WHERE {condition}", Notification::SELECT);
    if let Some((time, id)) = after {
        values.extend([Value::from(time), Value::from(id.to_owned())]);
        let (time, id) = (values.len() - 1, values.len());
        sql.push_str(&format!(
            " AND (n.created_at < ${time} OR (n.created_at = ${time} AND n.id < ${id}))"
        ));
    }
    values.push(limit.into());
    sql.push_str(&format!(" ORDER BY n.created_at DESC, n.id DESC LIMIT ${}", values.len()));
    tx.query(&sql, &values, Notification::from_row)
}

/// Returns the number of notifications.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, filter: &NotificationFilter<'_>) -> Result<i64, StoreError> {
    let mut values = Vec::new();
    let condition = filter.sql(&mut values);
    let sql = format!("SELECT COUNT(*) FROM notifications n WHERE {condition}");
    tx.query_one(&sql, &values, FromRow::from_row)
}

/// Sets the time at which notifications were read; `None` marks them as unread. Without `ids`, it
/// sets that of all notifications that the filter selects.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_read(
    tx: &Tx<'_>,
    filter: &NotificationFilter<'_>,
    ids: Option<&[NotificationId]>,
    read_at: Option<Timestamp>,
) -> Result<(), StoreError> {
    let mut values = vec![Value::from(read_at)];
    let condition = filter.sql(&mut values);
    let among = match ids {
        Some(ids) => format!(" AND n.id IN ({})", placeholders(&mut values, ids)),
        None => String::new(),
    };
    let sql = format!("UPDATE notifications AS n SET read_at = $1 WHERE {condition}{among}");
    tx.execute(&sql, &values)?;
    Ok(())
}

/// Returns the queued job whose mail to a user will contain further notifications, if there is one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn waiting_mail(tx: &Tx<'_>, user: UserId) -> Result<Option<JobId>, StoreError> {
    tx.query_opt(
        "SELECT j.id FROM notifications n JOIN jobs j ON j.id = n.mail_job \
         WHERE n.user_id = $1 AND n.read_at IS NULL AND j.status = 'queued' LIMIT 1",
        &[user.into()],
        FromRow::from_row,
    )
}

/// Returns unread notifications of a mail, oldest first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_of_mail(
    tx: &Tx<'_>,
    user: UserId,
    mail: JobId,
    limit: u32,
) -> Result<Vec<Notification>, StoreError> {
    tx.query(
        sql!(
            Notification::SELECT,
            " WHERE n.user_id = $1 AND n.mail_job = $2 AND n.read_at IS NULL \
             ORDER BY n.created_at, n.id LIMIT $3"
        ),
        &[user.into(), mail.into(), limit.into()],
        Notification::from_row,
    )
}

/// Deletes the notifications before a time and returns their number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_before(tx: &Tx<'_>, before: Timestamp) -> Result<u64, StoreError> {
    tx.execute("DELETE FROM notifications WHERE created_at < $1", &[before.into()])
}

/// Returns `true` if notifications are sent to a user by mail too.
///
/// # Errors
/// Returns an error if the store fails.
pub fn is_mailed(tx: &Tx<'_>, user: UserId) -> Result<bool, StoreError> {
    let stored = tx.query_opt(
        "SELECT mail FROM notification_settings WHERE user_id = $1",
        &[user.into()],
        bool::from_row,
    )?;
    Ok(stored.unwrap_or(true))
}

/// Sets if notifications are sent to a user by mail too.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_mailed(tx: &Tx<'_>, user: UserId, mail: bool) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO notification_settings (user_id, mail) VALUES ($1, $2) \
         ON CONFLICT (user_id) DO UPDATE SET mail = excluded.mail",
        &[user.into(), mail.into()],
    )?;
    Ok(())
}
