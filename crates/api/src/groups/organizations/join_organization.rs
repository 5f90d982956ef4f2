//! `joinOrganization`, `getOrganizationsForEmailDomain`: joining an organization through the domain
//! of one's mail address.

use bindery_app::access::{Action, Authorized, SignedIn};
use bindery_app::{Context, people::organizations};
use bindery_model::{OrganizationId, Result};
use bindery_wire::response::GetOrganizationsForEmailDomainResponse;

use crate::call::Call;
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        write("joinOrganization", Action::JoinOrganization, join),
        read("getOrganizationsForEmailDomain", Action::ActAsSelf, of_domain),
    ]
}

fn join(cx: &Context<'_>, caller: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    organizations::join(cx, caller, OrganizationId::parse(call.path("organizationId")))?;
    Ok(Reply::empty(204))
}

fn of_domain(cx: &Context<'_>, _: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let found = organizations::list_by_email_domain(cx, call.path("emailDomain"))?;
    let organizations =
        found.into_iter().map(|view| present::organization(cx.app, view)).collect::<Result<_>>()?;
    Reply::json(200, &GetOrganizationsForEmailDomainResponse { organizations })
}
