//! `getOrganizationAgentInstructions`, `updateOrganizationAgentInstructions`: the instructions that
//! an organization gives to agents.

use bindery_app::access::{Action, Authorized};
use bindery_app::people::organizations::Organization;
use bindery_app::{Context, people::agent_instructions};
use bindery_model::Result;
use bindery_wire::request::UpdateOrganizationAgentInstructionsBody;

use crate::call::Call;
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("getOrganizationAgentInstructions", Action::ViewOrganization, get),
        write("updateOrganizationAgentInstructions", Action::ManageOrganization, update),
    ]
}

fn get(cx: &Context<'_>, organization: &Authorized<Organization>, _: &Call) -> Result<Reply> {
    let found = agent_instructions::get(cx, organization)?;
    Reply::json(200, &present::agent_instructions(cx.app, organization, found)?)
}

fn update(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let UpdateOrganizationAgentInstructionsBody { instructions } = call.body()?;
    let after = agent_instructions::update(cx, organization, &instructions)?;
    Reply::json(200, &present::agent_instructions(cx.app, organization, Some(after))?)
}
