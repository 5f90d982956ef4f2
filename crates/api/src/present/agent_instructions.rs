//! The instructions that an organization gives to agents.

use bindery_app::App;
use bindery_app::people::agent_instructions::AgentInstructions;
use bindery_app::people::organizations::Organization;
use bindery_model::{Error, Result};
use bindery_wire::response::{self, OrganizationAgentInstructionsUrls};
use serde_json::value::RawValue;

/// The document of an organization without instructions.
const EMPTY_DOCUMENT: &str = r#"{"object":"document","data":{},"nodes":[]}"#;

pub(crate) fn agent_instructions(
    app: &App,
    organization: &Organization,
    instructions: Option<AgentInstructions>,
) -> Result<response::OrganizationAgentInstructions> {
    let (document, updated_at, updated_by) = match instructions {
        Some(AgentInstructions { document, updated_at, updated_by }) => {
            (document, updated_at, Some(updated_by.to_string()))
        }
        None => (EMPTY_DOCUMENT.to_owned(), organization.created_at, None),
    };
    let instructions = RawValue::from_string(document)
        .map_err(|error| Error::internal(format!("instructions are not JSON: {error}")))?;
    let location = app.urls.api(format_args!("/orgs/{}/agent-instructions", organization.id));
    Ok(response::OrganizationAgentInstructions {
        instructions,
        updated_at,
        updated_by,
        urls: OrganizationAgentInstructionsUrls { location },
    })
}
