//! The recipients of the notifications about an action.

use bindery_model::{CommentId, CommentReplyId, NotificationId, NotificationKind, Result, UserId};
use bindery_store::change_request_reviews::Verdict;
use bindery_store::change_requests::ChangeRequest;
use bindery_store::notifications::{self as rows, Notification};
use bindery_store::spaces::Space;

use super::mail;
use crate::review::change_requests::author;
use crate::{Context, access};

/// Maximum number of users who are notified about one action.
const MAX_RECIPIENTS: usize = 50;

/// The action that users are notified about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cause<'a> {
    /// The space.
    pub(crate) space: &'a Space,
    /// The change request; `None` for the main content.
    pub(crate) change_request: Option<&'a ChangeRequest>,
    /// The comment that was posted, or that was replied to.
    pub(crate) comment: Option<CommentId>,
    /// The reply that was posted.
    pub(crate) reply: Option<CommentReplyId>,
    /// The verdict of the review.
    pub(crate) verdict: Option<Verdict>,
}

impl<'a> Cause<'a> {
    /// Returns an action on a change request without a comment.
    pub(crate) fn change_request(space: &'a Space, change_request: &'a ChangeRequest) -> Self {
        let change_request = Some(change_request);
        Self { space, change_request, comment: None, reply: None, verdict: None }
    }
}

/// Users to notify. Each is notified once, for the first reason given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Recipients(Vec<(UserId, NotificationKind)>);

impl Recipients {
    /// Adds users who do not have a reason yet.
    #[must_use]
    pub(crate) fn with(
        mut self,
        kind: NotificationKind,
        users: impl IntoIterator<Item = UserId>,
    ) -> Self {
        for user in users {
            if !self.0.iter().any(|(known, _)| *known == user) {
                self.0.push((user, kind));
            }
        }
        self
    }
}

/// Notifies users about an action of the caller. The caller and users who cannot see the space are
/// left out.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn notify(cx: &Context<'_>, cause: Cause<'_>, recipients: Recipients) -> Result<()> {
    let actor = author(cx)?;
    let Cause { space, change_request, comment, reply, verdict } = cause;
    let others = recipients.0.into_iter().filter(|(user, _)| *user != actor);
    for (user, kind) in others.take(MAX_RECIPIENTS) {
        if access::level_of(cx.tx, user, space)?.is_none() {
            continue;
        }
        let notification = Notification {
            id: NotificationId::random(&cx.app.entropy),
            user,
            kind,
            actor,
            space: space.id,
            change_request: change_request.map(|change_request| change_request.id),
            comment,
            reply,
            verdict,
            created_at: cx.now(),
            read_at: None,
            mail_job: mail::request(cx, space, user)?,
        };
        rows::create(cx.tx, &notification)?;
    }
    Ok(())
}
