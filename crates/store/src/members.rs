//! Members of organizations.

use bindery_model::{OrganizationId, Role, Timestamp, UserId};

use crate::{StoreError, Tx};

/// A membership as it is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    /// The role; `None`: a guest.
    pub role: Option<Role>,
    /// Disabled members have no access.
    pub disabled: bool,
}

/// Makes a person a member; `false` if it was one already.
///
/// # Errors
/// When the store fails.
pub fn create(
    tx: &Tx<'_>,
    organization: OrganizationId,
    user: UserId,
    role: Option<Role>,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let added = tx.execute(
        "INSERT INTO members (organization, user_id, role, disabled, joined_at) \
         VALUES ($1, $2, $3, 0, $4) ON CONFLICT (organization, user_id) DO NOTHING",
        &[organization.into(), user.into(), role.map(Role::as_str).into(), at.into()],
    )?;
    Ok(added > 0)
}

/// A membership with what the organization gives to members who have no role of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The membership.
    pub member: Member,
    /// The organization's default role.
    pub default_role: Option<Role>,
}

/// What a person is to an organization; `None` for strangers.
///
/// # Errors
/// When the store fails.
pub fn standing(
    tx: &Tx<'_>,
    organization: OrganizationId,
    user: UserId,
) -> Result<Option<Standing>, StoreError> {
    tx.query_opt(
        "SELECT m.role, m.disabled, o.default_role FROM members m \
         JOIN organizations o ON o.id = m.organization \
         WHERE m.organization = $1 AND m.user_id = $2",
        &[organization.into(), user.into()],
        |row| {
            let role = |column| -> Result<Option<Role>, StoreError> {
                Ok(row.get::<Option<String>>(column)?.as_deref().and_then(Role::parse))
            };
            Ok(Standing {
                member: Member { role: role(0)?, disabled: row.get(1)? },
                default_role: role(2)?,
            })
        },
    )
}

/// The organizations that a person is in.
///
/// # Errors
/// When the store fails.
pub fn organizations_of(tx: &Tx<'_>, user: UserId) -> Result<Vec<OrganizationId>, StoreError> {
    tx.query(
        "SELECT m.organization FROM members m WHERE m.user_id = $1 AND m.disabled = 0 \
         ORDER BY m.organization",
        &[user.into()],
        |row| row.get(0),
    )
}
