//! Group `organizations`.

mod agent_instructions;
mod create_organization;
mod get_organization_by_id;
mod join_organization;
mod list_organizations_for_authenticated_user;
mod update_organization_by_id;

use bindery_app::people::organizations::Organization;
use bindery_app::{Context, people::organizations};
use bindery_model::Result;
use bindery_wire::response;

use crate::operation::Operation;
use crate::present;

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = vec![
        get_organization_by_id::operation(),
        list_organizations_for_authenticated_user::operation(),
        create_organization::operation(),
        update_organization_by_id::operation(),
    ];
    operations.extend(join_organization::operations());
    operations.extend(agent_instructions::operations());
    operations
}

pub(super) fn organization_response(
    cx: &Context<'_>,
    organization: Organization,
) -> Result<response::Organization> {
    present::organization(cx.app, organizations::view(cx, organization)?)
}
