//! Instructions that an organization gives to AI agents.

use bindery_model::{OrganizationId, Timestamp, UserId};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx};

record! {
    /// An organization's instructions as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct AgentInstructions in agent_instructions as a, insert {
        /// The document, as JSON in the form of the API contract.
        pub document: String,
        /// Time of the last change.
        pub updated_at: Timestamp,
        /// Author of the last change.
        pub updated_by: UserId,
    }
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
        sql!(AgentInstructions::SELECT, " WHERE a.organization = $1"),
        &[organization.into()],
        AgentInstructions::from_row,
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
    let mut values = instructions.values();
    values.push(organization.into());
    tx.execute(
        sql!(
            insert!(AgentInstructions, organization),
            " ON CONFLICT (organization) DO UPDATE SET \
             document = excluded.document, updated_at = excluded.updated_at, \
             updated_by = excluded.updated_by"
        ),
        &values,
    )?;
    Ok(())
}
