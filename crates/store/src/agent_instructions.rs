//! Instructions that an organization gives to AI agents.

use bindery_model::{OrganizationId, Timestamp, UserId};

use crate::{StoreError, Tx};

/// An organization's instructions as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentInstructions {
    /// The document, as JSON in the form of the API contract.
    pub document: String,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Author of the last change.
    pub updated_by: UserId,
}

/// Returns the instructions of an organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    organization: OrganizationId,
) -> Result<Option<AgentInstructions>, StoreError> {
    tx.query_opt(
        "SELECT a.document, a.updated_at, a.updated_by FROM agent_instructions a \
         WHERE a.organization = $1",
        &[organization.into()],
        |row| {
            Ok(AgentInstructions {
                document: row.get(0)?,
                updated_at: row.get(1)?,
                updated_by: row.get(2)?,
            })
        },
    )
}

/// Replaces the instructions of an organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set(
    tx: &Tx<'_>,
    organization: OrganizationId,
    instructions: &AgentInstructions,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO agent_instructions (organization, document, updated_at, updated_by) \
         VALUES ($1, $2, $3, $4) ON CONFLICT (organization) DO UPDATE SET \
         document = excluded.document, updated_at = excluded.updated_at, \
         updated_by = excluded.updated_by",
        &[
            organization.into(),
            instructions.document.as_str().into(),
            instructions.updated_at.into(),
            instructions.updated_by.into(),
        ],
    )?;
    Ok(())
}
