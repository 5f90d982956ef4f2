//! Group `audit-events`.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::audit_events::{self, AuditAction, AuditQuery};
use bindery_app::people::organizations::Organization;
use bindery_model::{Error, Result, Timestamp};

use crate::call::Call;
use crate::lists::Page;
use crate::operation::{Operation, read};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("listOrganizationAuditEventActions", Action::ViewAudit, list_actions),
        read("listOrganizationAuditEvents", Action::ViewAudit, list),
        read("getOrganizationAuditEvent", Action::ViewAudit, get),
    ]
}

type Target = Authorized<Organization>;

fn list_actions(_: &Context<'_>, _: &Target, _: &Call) -> Result<Reply> {
    Reply::json(200, &present::audit_actions(AuditAction::ALL))
}

/// Parses a time in the query.
fn time_parameter(call: &Call, name: &str) -> Result<Option<Timestamp>> {
    let Some(text) = call.query().text(name) else { return Ok(None) };
    let time_parameter = Timestamp::parse(text).ok_or_else(|| {
        Error::invalid(format!(
            "query parameter {name:?}: found {text:?}, allowed: a time such as \
             2026-01-31T12:00:00Z"
        ))
    })?;
    Ok(Some(time_parameter))
}

fn list(cx: &Context<'_>, organization: &Target, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let filter = AuditQuery {
        from: time_parameter(call, "from")?,
        to: time_parameter(call, "to")?,
        action: call.query().text("action"),
        actor: call.query().text("actor"),
        target: call.query().text("target"),
    };
    let (rows, count) =
        audit_events::list(cx, organization, filter, page.after_stamp(), page.rows())?;
    let list = page.list_of(
        rows,
        count,
        |row| format!("{} {}", row.stamp, row.id),
        |rows| {
            let views = audit_events::views(cx, rows)?.into_iter();
            Ok(views.map(|view| present::audit_event(cx.app, view)).collect())
        },
    )?;
    Reply::json(200, &list)
}

fn get(cx: &Context<'_>, organization: &Target, call: &Call) -> Result<Reply> {
    let event = audit_events::get(cx, organization, call.path("auditEventId"))?;
    let view = audit_events::views(cx, vec![event])?.pop();
    let view = view.ok_or_else(|| Error::internal("an audit event that cannot be shown"))?;
    Reply::json(200, &present::audit_event_details(cx.app, view)?)
}
