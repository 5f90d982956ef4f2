//! `getOrganizationById`: returns an organization.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::people::organizations::Organization;
use bindery_model::Result;

use super::organization_response;
use crate::call::Call;
use crate::operation::{Operation, read};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("getOrganizationById", Action::ViewOrganization, run)
}

fn run(cx: &Context<'_>, organization: &Authorized<Organization>, _: &Call) -> Result<Reply> {
    Reply::json(200, &organization_response(cx, Organization::clone(organization))?)
}
