//! Audit events and the list of their actions.

use bindery_app::App;
use bindery_app::audit_events::{self, AuditAction, AuditEventView, SYSTEM, Source};
use bindery_model::{Error, Result};
use bindery_wire::response::{
    AuditEvent, AuditEventAction, AuditEventActor, AuditEventDetails, AuditEventTarget,
    AuditEventUrls, ListOrganizationAuditEventActionsResponse,
};
use bindery_wire::values::{AuditEventActorType, AuditEventSource};
use serde_json::{Value, json};

/// Version of the payload schema.
const SCHEMA_VERSION: u64 = 1;

pub(crate) fn audit_actions(actions: &[AuditAction]) -> ListOrganizationAuditEventActionsResponse {
    let items = actions.iter().map(|action| AuditEventAction {
        id: action.as_str().to_owned(),
        label: action.label().to_owned(),
    });
    ListOrganizationAuditEventActionsResponse { items: items.collect() }
}

pub(crate) fn audit_event(app: &App, view: AuditEventView) -> AuditEvent {
    let AuditEventView { event, actor, target } = view;
    let audit_events::AuditEvent {
        id,
        organization,
        stamp: _,
        at,
        action,
        actor: by,
        source,
        address: _,
        token: _,
        target_kind,
        target: about,
        target_label: _,
        payload: _,
    } = event;
    AuditEvent {
        id: id.to_string(),
        occurred_at: at,
        action: action.as_str().to_owned(),
        actor: match by {
            Some(user) => AuditEventActor {
                r#type: AuditEventActorType::User,
                id: user.to_string(),
                label: actor,
            },
            None => AuditEventActor {
                r#type: AuditEventActorType::System,
                id: SYSTEM.to_owned(),
                label: None,
            },
        },
        source: match source {
            Source::Api => AuditEventSource::Api,
            Source::Workflow => AuditEventSource::Workflow,
        },
        target: AuditEventTarget {
            r#type: target_kind.as_str().to_owned(),
            id: about,
            label: target,
        },
        urls: AuditEventUrls {
            location: app.urls.api(format_args!("/orgs/{organization}/audit-events/{id}")),
        },
    }
}

/// Presents the event with its payload, its address and its token.
///
/// # Errors
/// Fails if the stored payload is not JSON.
pub(crate) fn audit_event_details(app: &App, view: AuditEventView) -> Result<AuditEventDetails> {
    let mut payload: Value = serde_json::from_str(&view.event.payload)
        .map_err(|error| Error::internal(format!("an audit event: {error}")))?;
    let token = view.event.token.map(|token| token.to_string());
    payload["origin"] = json!({ "address": view.event.address, "token": token });
    let AuditEvent { id, occurred_at, action, actor, source, target, urls } =
        audit_event(app, view);
    Ok(AuditEventDetails {
        id,
        occurred_at,
        action,
        actor,
        source,
        target,
        urls,
        execution_id: None,
        correlation_id: None,
        caused_by_event_id: None,
        schema_version: SCHEMA_VERSION,
        payload,
    })
}
