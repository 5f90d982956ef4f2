//! Group `organizations`.

mod get_organization_by_id;
mod list_organizations_for_authenticated_user;

use bindery_app::{Cx, organizations};
use bindery_model::{Error, Result};
use bindery_store::organizations::Organization;
use bindery_wire::response;

use crate::operation::Operation;
use crate::present;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        get_organization_by_id::operation(),
        list_organizations_for_authenticated_user::operation(),
    ]
}

pub(super) fn shown(cx: &Cx<'_>, organization: Organization) -> Result<response::Organization> {
    let permissions = organizations::permissions(cx, organization.id)?
        .ok_or_else(|| Error::not_found("organization"))?;
    present::organization(cx.app, organization, permissions)
}
