//! The audit events of an organization, for its administrators.

use std::collections::HashMap;
use std::time::Duration;

use bindery_model::{AuditEventId, AuditTargetKind, Error, Result, Timestamp, UserId};
use bindery_store::audit_events::{self, AuditActor, AuditFilter};
pub use bindery_store::audit_events::{AuditAction, AuditEvent};
use bindery_store::organizations::Organization;
use bindery_store::users;
pub use bindery_store::{Origin, Source};

use crate::access::Authorized;
use crate::{App, Context};

/// The name of the server as an actor.
pub const SYSTEM: &str = "system";
/// The length of a day.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The requested filter of a list of audit events.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditQuery<'a> {
    /// Lists only events at or after this time.
    pub from: Option<Timestamp>,
    /// Lists only events before this time.
    pub to: Option<Timestamp>,
    /// Lists only events with this action.
    pub action: Option<&'a str>,
    /// Lists only events by the user with this id, or by the server.
    pub actor: Option<&'a str>,
    /// Lists only events on the target with this id.
    pub target: Option<&'a str>,
}

/// An audit event with the related data that a response shows.
#[derive(Clone, Debug)]
pub struct AuditEventView {
    /// The row.
    pub event: AuditEvent,
    /// The current name of the actor.
    pub actor: Option<String>,
    /// The name of the target at the time of the event, or the current name of a user.
    pub target: Option<String>,
}

/// Returns the audit events of an organization, newest first, after the cursor, and their number.
///
/// # Errors
/// Returns 400 for an unknown action, and for a period that ends before it starts.
pub fn list(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    asked: AuditQuery<'_>,
    after: Option<(i64, &str)>,
    rows: u32,
) -> Result<(Vec<AuditEvent>, i64)> {
    let AuditQuery { from, to, action, actor, target } = asked;
    if let (Some(from), Some(to)) = (from, to)
        && to < from
    {
        return Err(Error::invalid(format!(
            "query parameter \"to\": found {to}, allowed: a time that is not before from, {from}"
        )));
    }
    let action = match action {
        None => None,
        Some(text) => Some(AuditAction::parse(text).ok_or_else(|| {
            let known: Vec<&str> = AuditAction::ALL.iter().map(|action| action.as_str()).collect();
            Error::invalid(format!(
                "query parameter \"action\": found {text:?}, allowed: one of {}",
                known.join(", ")
            ))
        })?),
    };
    let actor = match actor {
        None => None,
        Some(SYSTEM) => Some(AuditActor::System),
        Some(text) => match UserId::parse(text) {
            Some(user) => Some(AuditActor::User(user)),
            None => return Ok((Vec::new(), 0)),
        },
    };
    let target = target.map(str::to_owned);
    let filter = AuditFilter { organization: organization.id, from, to, action, actor, target };
    let count = audit_events::count(cx.tx, &filter)?;
    Ok((audit_events::list(cx.tx, &filter, after, rows)?, count))
}

/// Returns an audit event of an organization.
///
/// # Errors
/// Returns 404 if the event does not exist.
pub fn get(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    id: &str,
) -> Result<AuditEvent> {
    let found = match AuditEventId::parse(id) {
        Some(id) => audit_events::get(cx.tx, organization.id, id)?,
        None => None,
    };
    found.ok_or_else(|| Error::not_found("audit event"))
}

/// Returns the views of these events for a response, in the same order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn views(cx: &Context<'_>, events: Vec<AuditEvent>) -> Result<Vec<AuditEventView>> {
    let person = |event: &AuditEvent| match event.target_kind {
        AuditTargetKind::User => UserId::parse(&event.target),
        _ => None,
    };
    let mut ids: Vec<UserId> =
        events.iter().flat_map(|event| [event.actor, person(event)]).flatten().collect();
    ids.sort();
    ids.dedup();
    let names: HashMap<UserId, String> = users::get_many(cx.tx, &ids)?
        .into_iter()
        .map(|(id, user)| (id, user.display_name))
        .collect();
    let name = |id: Option<UserId>| id.and_then(|id| names.get(&id)).cloned();
    let views = events.into_iter().map(|event| AuditEventView {
        actor: name(event.actor),
        target: event.target_label.clone().or_else(|| name(person(&event))),
        event,
    });
    Ok(views.collect())
}

/// Removes events that are older than the configured retention period.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) async fn remove_old(app: &App) -> Result<()> {
    let Some(kept) = DAY.checked_mul(app.limits.audit_days).filter(|kept| !kept.is_zero()) else {
        return Ok(());
    };
    let kept = i64::try_from(kept.as_millis()).unwrap_or(i64::MAX);
    let before = app.clock.now().plus_millis(kept.saturating_neg());
    while audit_events::remove_before(&app.store, before).await? {}
    Ok(())
}
