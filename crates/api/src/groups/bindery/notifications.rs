//! `listNotifications`, `updateNotifications`, `getNotificationSettings`,
//! `updateNotificationSettings`: the caller's own notifications.

use bindery_app::access::{Action, Authorized, SignedIn};
use bindery_app::people::organizations::Organization;
use bindery_app::{Context, review::notifications};
use bindery_model::Result;
use bindery_wire::request::{NotificationSettingsChange, NotificationsChange};
use bindery_wire::response::{NotificationSettings, UnreadNotifications};
use serde::Serialize;

use crate::call::Call;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("listNotifications", Action::ViewOrganization, list),
        write("updateNotifications", Action::ManageNotifications, update),
        read("getNotificationSettings", Action::ActAsSelf, settings),
        write("updateNotificationSettings", Action::ManageNotifications, update_settings),
    ]
}

#[derive(Serialize)]
struct Notifications {
    unread: u64,
    #[serde(flatten)]
    list: bindery_wire::List<bindery_wire::response::Notification>,
}

fn list(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let read = call.query().flag("read");
    let (rows, count) =
        notifications::list(cx, organization.id, read, page.after_time(), page.rows())?;
    let list = page.list_of(
        rows,
        count,
        |row| time_position(row.created_at, row.id),
        |rows| {
            let views = notifications::views(cx.tx, rows)?;
            Ok(views.into_iter().map(|view| present::notification(cx.app, view)).collect())
        },
    )?;
    Reply::json(200, &Notifications { unread: unread(cx, organization)?.unread, list })
}

fn unread(cx: &Context<'_>, organization: &Organization) -> Result<UnreadNotifications> {
    let unread = notifications::count_unread(cx, organization.id)?;
    Ok(UnreadNotifications { unread: unread.unsigned_abs() })
}

fn update(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let NotificationsChange { read, notifications } = call.body()?;
    notifications::set_read(cx, organization.id, notifications.as_deref(), read)?;
    Reply::json(200, &unread(cx, organization)?)
}

fn settings(cx: &Context<'_>, _: &Authorized<SignedIn>, _: &Call) -> Result<Reply> {
    Reply::json(200, &NotificationSettings { mail: notifications::is_mailed(cx)? })
}

fn update_settings(cx: &Context<'_>, _: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let NotificationSettingsChange { mail } = call.body()?;
    if let Some(mail) = mail {
        notifications::set_mailed(cx, mail)?;
    }
    Reply::json(200, &NotificationSettings { mail: notifications::is_mailed(cx)? })
}
