//! Notifications of users about comments, reviews and merges. The transaction of an action inserts
//! them. Users see those about spaces that they can see at that time.

mod mail;
mod recipients;

pub(crate) use mail::NotificationMailJob;
pub(crate) use recipients::{Cause, Recipients, notify};

use std::collections::HashMap;

use bindery_model::{
    Error, FieldPath, NotificationId, OrganizationId, Result, SpaceId, Timestamp, UserId,
};
pub use bindery_store::notifications::Notification;
use bindery_store::notifications::{self as rows, NotificationFilter};
use bindery_store::spaces::{self, Space};
use bindery_store::users::{self, User};
use bindery_store::{StoreError, Tx, change_requests, comments};

use crate::Context;
use crate::content::spaces as visible;
use crate::publishing::urls::Urls;
use crate::review::change_requests::{ChangeRequest, author};
use crate::review::comments::Subject;
use crate::review::rich_text;

/// Maximum length of the excerpt of a comment, in characters.
const MAX_EXCERPT: usize = 200;
/// Time in milliseconds that notifications are kept: 180 days.
const RETENTION_MILLIS: i64 = 180 * 24 * 60 * 60 * 1000;

/// A notification with the related data that a response or a mail shows.
#[derive(Clone, Debug)]
pub struct NotificationView {
    /// The row.
    pub notification: Notification,
    /// The user whose action it reports.
    pub actor: User,
    /// The space.
    pub space: Space,
    /// The change request; `None` if it is about the main content.
    pub change_request: Option<ChangeRequest>,
    /// The beginning of the text of the comment or reply.
    pub excerpt: Option<String>,
}

impl NotificationView {
    /// Returns the address of the subject in the application.
    pub fn address(&self, urls: &Urls) -> String {
        let space = urls.app_space(self.space.organization, self.space.id);
        let place = match &self.change_request {
            Some(ChangeRequest { number, .. }) => format!("{space}/~/changes/{number}/~/review"),
            None => space,
        };
        match (self.notification.comment, self.notification.reply) {
            (Some(comment), Some(reply)) => format!("{place}?comment={comment}&reply={reply}"),
            (Some(comment), None) => format!("{place}?comment={comment}"),
            (None, _) => place,
        }
    }
}

/// Returns the caller's notifications in an organization, newest first, and their number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    organization: OrganizationId,
    read: Option<bool>,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<(Vec<Notification>, i64)> {
    let Some(spaces) = visible::filter(cx, organization)? else {
        return Ok((Vec::new(), 0));
    };
    let filter = NotificationFilter { user: author(cx)?, spaces: &spaces, read };
    Ok((rows::list(cx.tx, &filter, after, limit)?, rows::count(cx.tx, &filter)?))
}

/// Returns the number of the caller's unread notifications in an organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_unread(cx: &Context<'_>, organization: OrganizationId) -> Result<i64> {
    let Some(spaces) = visible::filter(cx, organization)? else { return Ok(0) };
    let filter = NotificationFilter { user: author(cx)?, spaces: &spaces, read: Some(false) };
    Ok(rows::count(cx.tx, &filter)?)
}

/// Marks notifications of the caller in an organization as read or unread: those with the ids, or
/// all.
///
/// # Errors
/// Returns 400 if an id is malformed. Ids of notifications that the caller does not have are
/// ignored, so that nobody learns which exist.
pub fn set_read(
    cx: &Context<'_>,
    organization: OrganizationId,
    ids: Option<&[String]>,
    read: bool,
) -> Result<()> {
    let parsed = ids.map(|ids| ids.iter().enumerate().map(parse).collect::<Result<Vec<_>>>());
    let parsed = parsed.transpose()?;
    let Some(spaces) = visible::filter(cx, organization)? else { return Ok(()) };
    let filter = NotificationFilter { user: author(cx)?, spaces: &spaces, read: Some(!read) };
    rows::set_read(cx.tx, &filter, parsed.as_deref(), read.then(|| cx.now()))?;
    Ok(())
}

fn parse((index, id): (usize, &String)) -> Result<NotificationId> {
    NotificationId::parse(id).ok_or_else(|| {
        Error::invalid(format!("found {id:?}, allowed: the id of a notification"))
            .at(FieldPath::new("/notifications").field(index))
    })
}

/// Returns the views of notifications of one user, in the same order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn views(tx: &Tx<'_>, notifications: Vec<Notification>) -> Result<Vec<NotificationView>> {
    let actors: Vec<UserId> = notifications.iter().map(|one| one.actor).collect();
    let actors = users::get_many(tx, &actors)?;
    let mut known: HashMap<SpaceId, Space> = HashMap::new();
    let mut views = Vec::with_capacity(notifications.len());
    for notification in notifications {
        let space = match known.get(&notification.space) {
            Some(space) => space.clone(),
            None => spaces::get(tx, notification.space)?.ok_or_else(incomplete)?,
        };
        known.insert(space.id, space.clone());
        let change_request = match notification.change_request {
            Some(id) => Some(change_requests::get(tx, space.id, id)?.ok_or_else(incomplete)?),
            None => None,
        };
        let actor = actors.get(&notification.actor).cloned().ok_or_else(incomplete)?;
        let excerpt = excerpt(tx, &notification)?;
        views.push(NotificationView { notification, actor, space, change_request, excerpt });
    }
    Ok(views)
}

fn incomplete() -> Error {
    Error::internal("a notification about something that does not exist")
}

/// Returns the beginning of the text that a notification is about.
fn excerpt(tx: &Tx<'_>, notification: &Notification) -> Result<Option<String>> {
    let Notification { space, change_request, comment, reply, .. } = *notification;
    let subject = Subject { space, change_request };
    let body = match (comment, reply) {
        (Some(comment), Some(reply)) => {
            comments::get_reply(tx, comment, reply)?.map(|reply| reply.body)
        }
        (Some(comment), None) => comments::get(tx, subject, comment)?.map(|comment| comment.body),
        (None, _) => None,
    };
    let Some(body) = body else { return Ok(None) };
    let mentioned = users::get_many(tx, &rich_text::mentioned(&body)?)?.into_values();
    let names = mentioned.map(|user| (user.id, user.display_name)).collect();
    rich_text::excerpt(&body, &names, MAX_EXCERPT).map(Some)
}

/// Returns `true` if notifications are sent to the caller by mail too.
///
/// # Errors
/// Returns an error if the store fails.
pub fn is_mailed(cx: &Context<'_>) -> Result<bool> {
    Ok(rows::is_mailed(cx.tx, author(cx)?)?)
}

/// Sets if notifications are sent to the caller by mail too.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_mailed(cx: &Context<'_>, mail: bool) -> Result<()> {
    Ok(rows::set_mailed(cx.tx, author(cx)?, mail)?)
}

/// Deletes the notifications that are no longer kept, and returns their number.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn delete_old(tx: &Tx<'_>) -> std::result::Result<u64, StoreError> {
    rows::delete_before(tx, tx.now().plus_millis(-RETENTION_MILLIS))
}
