//! The instructions of an organization for agents.

use bindery_model::{Error, Result};
pub use bindery_store::agent_instructions::AgentInstructions;
use bindery_store::organizations::Organization;
use bindery_store::{Event, FieldChange, NewEvent, agent_instructions};
use serde_json::Value;

use crate::access::Authorized;
use crate::{Context, access, content::documents};

/// Returns the instructions of an organization; `None` if none were set.
///
/// # Errors
/// Returns 403 for guests.
pub fn get(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
) -> Result<Option<AgentInstructions>> {
    let what = "read the instructions of this organization's agents";
    access::require_member(cx.tx, cx.caller.person(), organization.id, what)?;
    Ok(agent_instructions::get(cx.tx, organization.id)?)
}

/// Replaces the instructions of an organization.
///
/// # Errors
/// Returns 400 with the first mistake in the document and its location.
pub fn update(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    document: &Value,
) -> Result<AgentInstructions> {
    let updated_by = cx.user().ok_or_else(|| Error::internal("nobody gives instructions"))?;
    let document = documents::of_people("/instructions", document)?;
    let before = agent_instructions::get(cx.tx, organization.id)?;
    let after = AgentInstructions { document, updated_at: cx.now(), updated_by };
    let json = |text: Option<&str>| text.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let change = FieldChange::of(
        "instructions",
        &json(before.as_ref().map(|before| before.document.as_str())),
        &json(Some(&after.document)),
    )?;
    let Some(change) = change else {
        return before.ok_or_else(|| Error::internal("instructions that are not JSON"));
    };
    agent_instructions::set(cx.tx, organization.id, &after)?;
    cx.tx.record(
        &NewEvent::new(Event::AgentInstructionsUpdated { changes: vec![change] })
            .by(updated_by)
            .organization(organization.id),
    )?;
    Ok(after)
}
