//! Notifications.

use bindery_app::App;
use bindery_app::review::notifications::{Notification, NotificationView};
use bindery_wire::response;

use super::user;
use crate::closed_sets::{notification_kind, review_status};

pub(crate) fn notification(app: &App, view: NotificationView) -> response::Notification {
    let address = view.address(&app.urls);
    let NotificationView { notification, actor, space, change_request, excerpt } = view;
    let Notification {
        id,
        user: _,
        kind,
        actor: _,
        space: _,
        change_request: _,
        comment,
        reply,
        verdict,
        created_at,
        read_at,
        mail_job: _,
    } = notification;
    response::Notification {
        id: id.to_string(),
        kind: notification_kind(kind),
        read: read_at.is_some(),
        created_at,
        actor: user(app, actor),
        space: response::NotificationSpace { id: space.id.to_string(), title: space.title },
        change_request: change_request.map(|row| response::NotificationChangeRequest {
            id: row.id.to_string(),
            number: row.number.unsigned_abs(),
            subject: row.subject,
        }),
        comment: comment.map(|id| id.to_string()),
        reply: reply.map(|id| id.to_string()),
        review: verdict.map(review_status),
        excerpt,
        urls: response::NotificationUrls { app: address },
    }
}
