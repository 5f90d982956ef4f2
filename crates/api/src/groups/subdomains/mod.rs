//! Group `subdomains`: the names under which content is published.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized, SignedIn};
use bindery_app::publishing::subdomains::{self, Subdomain};
use bindery_model::Result;
use bindery_wire::response::{self, OrganizationPointer};

use crate::call::Call;
use crate::operation::{Operation, read};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![read("getSubdomain", Action::ActAsSelf, get)]
}

fn get(cx: &Context<'_>, _: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let Subdomain { name, organization, is_active } = subdomains::get(cx, call.path("subdomain"))?;
    let target = OrganizationPointer { organization: organization.to_string() };
    Reply::json(200, &response::Subdomain { subdomain: name, target, is_active })
}
