//! Moves a space to another collection or position, and transfers it to another organization.

use bindery_model::{CollectionId, Error, OrganizationId, Result};
use bindery_store::permissions::{self, Resource};
use bindery_store::positions::{Container, Item};
use bindery_store::spaces::{self, Space};
use bindery_store::{Event, embeds, site_spaces};

use super::{effective_level, record};
use crate::access::Authorized;
use crate::content::positions::{self, Position};
use crate::{Context, content::collections};

/// Moves a space within its organization to a position, and into another parent if `parent` is
/// given. `Some(None)` is the top level.
///
/// # Errors
/// Returns 400 if the position is invalid, 403 if the caller cannot create content in the parent or
/// would gain a higher role, 404 if the parent does not exist, and 409 if nothing would change.
pub fn move_to(
    cx: &Context<'_>,
    space: &Authorized<Space>,
    parent: Option<Option<CollectionId>>,
    position: Position,
) -> Result<Space> {
    let parent = parent.unwrap_or(space.parent);
    let place = Container { organization: space.organization, parent };
    if parent != space.parent {
        collections::admit(cx, place, "/parent")?;
    }
    collections::check_neighbours(cx, position)?;
    let position = positions::resolve(cx.tx, Item::Space(space.id), place, position)?;
    let Some(position) = position else {
        return Err(Error::conflict("the space is at this position already: nothing would change"));
    };
    let after = Space {
        parent,
        position,
        effective_level: effective_level(cx.tx, space.default_level, parent)?,
        ..Space::clone(space)
    };
    spaces::update(cx.tx, &after)?;
    if parent != space.parent {
        collections::refuse_promotion::<Space>(cx, Some(space.role()), &after.id)?;
    }
    record(cx, &after, Event::SpaceMoved { from: space.parent, to: parent })?;
    Ok(after)
}

/// Transfers a space to the end of another organization, or of a collection there. Removes grants
/// to users outside that organization.
///
/// # Errors
/// Returns 403 or 404 if the caller cannot create content at the destination, 409 if nothing would
/// change, and 412 if a site shows the space.
pub fn transfer(
    cx: &Context<'_>,
    space: &Authorized<Space>,
    organization: OrganizationId,
    parent: Option<CollectionId>,
) -> Result<Space> {
    let place = Container { organization, parent };
    collections::admit(cx, place, if parent.is_some() { "/parent" } else { "/organization" })?;
    if place == (Container { organization: space.organization, parent: space.parent }) {
        return Err(Error::conflict(
            "organization and parent equal those of the space: nothing would change",
        ));
    }
    carry(cx, space, place)
}

/// Moves a space to the end of a container in any organization.
pub(crate) fn carry(cx: &Context<'_>, space: &Space, place: Container) -> Result<Space> {
    let Container { organization, parent } = place;
    if organization != space.organization && site_spaces::includes(cx.tx, space.id)? {
        return Err(Error::precondition_failed(format!(
            "the space {} cannot be moved: a site of its organization shows it; take it off the \
             site first",
            space.id
        )));
    }
    let after = Space {
        organization,
        parent,
        position: positions::at_end(cx.tx, place)?,
        effective_level: effective_level(cx.tx, space.default_level, parent)?,
        ..space.clone()
    };
    spaces::update(cx.tx, &after)?;
    let event = if organization == space.organization {
        Event::SpaceMoved { from: space.parent, to: parent }
    } else {
        // Descriptions of embeds belong to an organization.
        embeds::forget_space(cx.tx, space.id)?;
        permissions::delete_foreign(cx.tx, Resource::Space(space.id), organization)?;
        let event = Event::SpaceTransferred { from: space.organization, to: organization };
        record(cx, space, event.clone())?;
        event
    };
    record(cx, &after, event)?;
    Ok(after)
}
