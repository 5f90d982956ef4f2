//! A link that admits people to an organization, space or collection.

use bindery_app::people::organization_invites::{self, Destination, InviteLinkTarget};
use bindery_app::{Context, content::collections, content::spaces};
use bindery_model::{Error, Result, Role};
use bindery_wire::response::{
    InviteLinkToCollection, InviteLinkToOrganization, InviteLinkToSpace, OrganizationInviteLink,
};

use crate::closed_sets::member_role;

/// Presents a link to a caller who manages its destination.
pub(crate) fn invite_link(
    cx: &Context<'_>,
    target: &InviteLinkTarget,
) -> Result<OrganizationInviteLink> {
    let InviteLinkTarget { link, to } = target;
    let (id, role) = (link.id.to_string(), link.role.map(member_role));
    let redundant = organization_invites::is_redundant(cx.tx, target)?;
    Ok(match to {
        Destination::Organization => {
            OrganizationInviteLink::InviteLinkToOrganization(InviteLinkToOrganization {
                id,
                role,
                redundant,
            })
        }
        Destination::Space(space) => {
            let seen = spaces::seen(cx, space.clone(), Role::Admin)?;
            let view = spaces::views(cx, vec![seen])?.pop();
            let view = view.ok_or_else(|| Error::internal("a space was not shown"))?;
            let space = super::space(cx.app, view)?;
            let link = InviteLinkToSpace { id, level: role, redundant, space };
            OrganizationInviteLink::InviteLinkToSpace(Box::new(link))
        }
        Destination::Collection(collection) => {
            let seen = collections::seen(cx, collection.clone())?;
            let collection = super::collection(cx.app, seen);
            let link = InviteLinkToCollection { id, level: role, redundant, collection };
            OrganizationInviteLink::InviteLinkToCollection(Box::new(link))
        }
    })
}
