//! Invite links: creating, reading, updating, deleting and following them.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized, SignedIn};
use bindery_app::people::organization_invites::{self, Destination, InviteLinkTarget, LinkTo};
use bindery_app::people::organizations::Organization;
use bindery_model::{Error, OrganizationId, Result, Role};
use bindery_wire::Patch;
use bindery_wire::values::MemberRole;
use serde::Deserialize;
use serde_json::json;

use crate::call::Call;
use crate::closed_sets::role_of;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        // The permission depends on the destination of the link.
        write("createOrganizationInvite", Action::ViewOrganization, create)
            .additional_action(Action::ManageMembers),
        read("getOrganizationInviteLink", Action::ManageMembers, get),
        write("updateOrganizationInviteById", Action::ManageMembers, update),
        write("deleteOrganizationInviteById", Action::ManageMembers, delete),
        read("listOrganizationInviteLinks", Action::ViewOrganization, list)
            .additional_action(Action::ManageMembers),
        write("joinOrganizationWithInvite", Action::JoinOrganization, follow),
    ]
}

/// The role and the destination of a link, in all alternatives of the contract: a role in the
/// organization, or a level in a space or a collection.
#[derive(Debug, Deserialize)]
struct LinkBody {
    #[serde(default)]
    role: Patch<MemberRole>,
    #[serde(default)]
    level: Patch<MemberRole>,
    space: Option<String>,
    collection: Option<String>,
}

fn new_role(role: Patch<MemberRole>) -> Option<Option<Role>> {
    role.change().map(|role| role.map(role_of))
}

fn create(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let LinkBody { role, level, space, collection } = call.body()?;
    let (to, role) = match (space, collection) {
        (Some(_), Some(_)) => {
            return Err(Error::invalid(
                "body at /collection: found a collection beside a space, allowed: one of them",
            ));
        }
        (Some(space), None) => (LinkTo::Space(space), new_role(level)),
        (None, Some(collection)) => (LinkTo::Collection(collection), new_role(level)),
        (None, None) => (LinkTo::Organization, new_role(role)),
    };
    let role = role.ok_or_else(|| wrong_field(to != LinkTo::Organization))?;
    let created = organization_invites::create(cx, organization, &to, role)?;
    let location =
        cx.app.urls.api(format_args!("/orgs/{}/link-invites/{}", organization.id, created.link.id));
    let reply = Reply::json(201, &present::invite_link(cx, &created)?)?;
    Ok(reply.with_location(location).with_secret(HINT.to_owned()))
}

/// Tells a caller who repeats a request where to find the link. Its id admits people and is
/// therefore a secret.
const HINT: &str = "listOrganizationInviteLinks shows the link";

fn wrong_field(has_level: bool) -> Error {
    let (field, destination) =
        if has_level { ("level", "a space or a collection") } else { ("role", "an organization") };
    Error::invalid(format!("body: found no \"{field}\", which links to {destination} need"))
}

fn get(cx: &Context<'_>, target: &Authorized<InviteLinkTarget>, _: &Call) -> Result<Reply> {
    Ok(Reply::json(200, &present::invite_link(cx, target)?)?.without_caching())
}

fn update(cx: &Context<'_>, target: &Authorized<InviteLinkTarget>, call: &Call) -> Result<Reply> {
    let LinkBody { role, level, space: _, collection: _ } = call.body()?;
    let has_level = !matches!(target.to, Destination::Organization);
    let changed = new_role(if has_level { level } else { role });
    let changed = changed.ok_or_else(|| wrong_field(has_level))?;
    let after = organization_invites::update(cx, target, changed)?;
    Ok(Reply::json(200, &present::invite_link(cx, &after)?)?.with_secret(HINT.to_owned()))
}

fn delete(cx: &Context<'_>, target: &Authorized<InviteLinkTarget>, _: &Call) -> Result<Reply> {
    organization_invites::delete(cx, target)?;
    Ok(Reply::empty(205))
}

fn list(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let (links, count) =
        organization_invites::list(cx, organization, page.after_time(), page.rows())?;
    let list = page.list(
        links,
        count,
        |target| time_position(target.link.created_at, target.link.id),
        |target| present::invite_link(cx, &target),
    )?;
    Ok(Reply::json(200, &list)?.without_caching())
}

fn follow(cx: &Context<'_>, caller: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let organization = OrganizationId::parse(call.path("organizationId"));
    organization_invites::follow(cx, caller, organization, call.path("inviteId"))?;
    Reply::json(200, &json!({}))
}
