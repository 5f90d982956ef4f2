//! Organizations.

use bindery_model::{OrganizationId, Result, Role, Timestamp};
use bindery_store::organizations::{self, Organization};
use bindery_store::{Event, NewEvent, Tx};

use crate::access::Membership;
use crate::{App, Cx, access};

/// What the caller may do in an organization: the `permissions` of the contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Permissions {
    /// The caller's level on the organization.
    pub role: Role,
    /// A guest sees the organization and nothing of it.
    pub guest: bool,
}

/// The caller's permissions.
///
/// # Errors
/// When the store fails.
pub fn permissions(cx: &Cx<'_>, organization: OrganizationId) -> Result<Option<Permissions>> {
    let Some(person) = cx.caller.person() else {
        return Ok(None);
    };
    let (membership, default_role) = access::membership(cx.tx, person, organization)?;
    let role = access::role_in_organization(person, membership, default_role);
    Ok(role.map(|role| Permissions { role, guest: membership == Membership::Guest }))
}

/// Stores a new organization.
///
/// # Errors
/// When the store fails.
pub fn create(tx: &Tx<'_>, app: &App, title: &str, at: Timestamp) -> Result<Organization> {
    let organization = Organization {
        id: OrganizationId::random(&app.entropy),
        title: title.to_owned(),
        default_role: Some(Role::Read),
        merge_rules: None,
        created_at: at,
    };
    organizations::create(tx, &organization)?;
    tx.record(
        &NewEvent::new(Event::OrganizationCreated { title: title.to_owned() })
            .organization(organization.id),
    )?;
    Ok(organization)
}

/// The organizations that the caller is in and that the token reaches, oldest first.
///
/// # Errors
/// When the store fails.
pub fn list(
    cx: &Cx<'_>,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<Organization>, i64)> {
    let Some(person) = cx.caller.person() else {
        return Ok((Vec::new(), 0));
    };
    let within = (!person.organizations.is_empty()).then_some(person.organizations.as_slice());
    let count = organizations::count_of_user(cx.tx, person.user, within)?;
    let found = organizations::list_of_user(cx.tx, person.user, within, after, rows)?;
    Ok((found, count))
}
