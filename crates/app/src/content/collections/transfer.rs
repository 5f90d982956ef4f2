//! Moves, transfers and deletes a collection with everything in it.

use bindery_model::{CollectionId, Error, FieldPath, Level, OrganizationId, Result, Role, SpaceId};
use bindery_store::Event;
use bindery_store::collections::{self, Collection};
use bindery_store::permissions::{self, Resource};
use bindery_store::positions::{Container, Item};
use bindery_store::spaces::{self as rows, Space};

use super::{
    admit, check_depth, check_neighbours, level, propagate_level, record, refuse_promotion,
};
use crate::access::{self, Authorized};
use crate::content::positions::{self, Position};
use crate::{Context, content::spaces};

/// Returns a collection with all nested collections, outermost first, and the number of levels.
fn subtree(cx: &Context<'_>, root: &Collection) -> Result<(Vec<Collection>, usize)> {
    let mut all = vec![root.clone()];
    let mut height = 0;
    let mut from = 0;
    while from < all.len() {
        height += 1;
        let level: Vec<CollectionId> = all.iter().skip(from).map(|one| one.id).collect();
        from = all.len();
        for id in level {
            all.extend(collections::children(cx.tx, id)?);
        }
    }
    Ok((all, height))
}

/// Moves a collection within its organization to a position, and into another parent if `parent` is
/// given. `Some(None)` is the top level.
///
/// # Errors
/// Returns 400 if the position is invalid or the parent is the collection itself or nested in it;
/// 403 if the caller cannot create content in the parent or would gain a higher role; 404 if the
/// parent does not exist; 409 if nothing would change or the nesting would be too deep.
pub fn move_to(
    cx: &Context<'_>,
    collection: &Authorized<Collection>,
    parent: Option<Option<CollectionId>>,
    position: Position,
) -> Result<Collection> {
    let parent = parent.unwrap_or(collection.parent);
    let place = Container { organization: collection.organization, parent };
    let mut inside = Inside::default();
    if parent != collection.parent {
        admit(cx, place, "/parent")?;
        let (all, height) = subtree(cx, collection)?;
        if all.iter().any(|one| Some(one.id) == parent) {
            return Err(Error::invalid(
                "found the collection itself or one that is in it, allowed: \
                 another collection, or null for the top",
            )
            .at(FieldPath::new("/parent")));
        }
        check_depth(cx, parent, height)?;
        if is_granted(cx, parent)? {
            inside = Inside::load(cx, all)?;
        }
    }
    check_neighbours(cx, position)?;
    let position = positions::resolve(cx.tx, Item::Collection(collection.id), place, position)?;
    let Some(position) = position else {
        return Err(Error::conflict(
            "the collection is at this position already: nothing would change",
        ));
    };
    let effective_level = spaces::effective_level(cx.tx, collection.default_level, parent)?;
    let after = Collection { parent, position, effective_level, ..Collection::clone(collection) };
    collections::update(cx.tx, &after)?;
    if after.effective_level != collection.effective_level {
        propagate_level(cx, &after)?;
    }
    if parent != collection.parent {
        refuse_promotion::<Collection>(cx, Some(collection.role()), &after.id)?;
        inside.refuse_promotion(cx)?;
    }
    let event =
        Event::CollectionMoved { collection: after.id, from: collection.parent, to: parent };
    record(cx, &after, event)?;
    Ok(after)
}

/// Returns `true` if the caller has a grant on a collection or on one of its ancestors. Only a
/// grant gives access to the content of a collection whose own default denies it.
fn is_granted(cx: &Context<'_>, parent: Option<CollectionId>) -> Result<bool> {
    let Some((parent, person)) = parent.zip(cx.caller.person()) else { return Ok(false) };
    let Some(parent) = collections::get(cx.tx, parent)? else { return Ok(false) };
    Ok(access::collection_access(cx.tx, person, &parent)?.granted.is_some())
}

/// The items that move with a collection, itself included, with the caller's roles before the move.
#[derive(Default)]
struct Inside {
    collections: Vec<(CollectionId, Option<Role>)>,
    spaces: Vec<(SpaceId, Option<Role>)>,
}

impl Inside {
    fn load(cx: &Context<'_>, all: Vec<Collection>) -> Result<Self> {
        let mut inside = Self::default();
        for one in all {
            inside.collections.push((one.id, level::<Collection>(cx, &one.id)?));
            for id in collections::list_space_ids(cx.tx, one.id)? {
                inside.spaces.push((id, level::<Space>(cx, &id)?));
            }
        }
        Ok(inside)
    }

    /// Rejects a move if grants at the destination would give the caller access to items that were
    /// inaccessible before.
    fn refuse_promotion(&self, cx: &Context<'_>) -> Result<()> {
        for (id, before) in &self.collections {
            refuse_promotion::<Collection>(cx, *before, id)?;
        }
        for (id, before) in &self.spaces {
            refuse_promotion::<Space>(cx, *before, id)?;
        }
        Ok(())
    }
}

/// Transfers a collection with all nested items to the end of the top level of another
/// organization.
///
/// # Errors
/// Returns 403 or 404 if the caller cannot create content in the organization, 409 if nothing would
/// change, and 412 if a site shows a nested space or the caller cannot transfer all nested items.
pub fn transfer(
    cx: &Context<'_>,
    collection: &Authorized<Collection>,
    organization: OrganizationId,
) -> Result<Collection> {
    let place = Container { organization, parent: None };
    admit(cx, place, "/organization")?;
    if organization == collection.organization {
        return Err(Error::conflict(
            "the collection is in this organization already: nothing would change",
        ));
    }
    let (all, _) = subtree(cx, collection)?;
    let from = collection.organization;
    for one in &all {
        admit_all(cx, one)?;
    }
    for one in &all {
        let outermost = one.id == collection.id;
        let parent = if outermost { None } else { one.parent };
        let after = Collection {
            organization,
            parent,
            position: match outermost {
                true => positions::at_end(cx.tx, place)?,
                false => one.position.clone(),
            },
            effective_level: spaces::effective_level(cx.tx, one.default_level, parent)?,
            ..one.clone()
        };
        collections::update(cx.tx, &after)?;
        permissions::delete_foreign(cx.tx, Resource::Collection(one.id), organization)?;
        for id in collections::list_space_ids(cx.tx, one.id)? {
            if let Some(space) = rows::get(cx.tx, id)? {
                spaces::carry(cx, &space, Container { organization, parent: Some(one.id) })?;
            }
        }
        let event = Event::CollectionTransferred { collection: one.id, from, to: organization };
        record(cx, one, event.clone())?;
        record(cx, &after, event)?;
    }
    collections::get(cx.tx, collection.id)?.ok_or_else(|| Error::not_found("collection"))
}

/// Returns an error unless the caller is an administrator of each item directly in a collection.
fn admit_all(cx: &Context<'_>, collection: &Collection) -> Result<()> {
    let administers = |role: Option<Role>| match role {
        Some(Role::Admin) => Ok(()),
        _ => Err(Error::precondition_failed(
            "the collection has content in it that you do not administer",
        )),
    };
    administers(level::<Collection>(cx, &collection.id)?)?;
    for id in collections::list_space_ids(cx.tx, collection.id)? {
        administers(level::<Space>(cx, &id)?)?;
    }
    Ok(())
}

/// Deletes a collection, the nested collections, and all their spaces. The spaces can be restored
/// like any deleted space. They are then at the top level of the organization and keep their
/// effective level.
///
/// # Errors
/// Returns 412 if the caller does not administer all nested items.
pub fn delete(cx: &Context<'_>, collection: &Authorized<Collection>) -> Result<()> {
    let (all, _) = subtree(cx, collection)?;
    for one in &all {
        admit_all(cx, one)?;
    }
    let top = Container { organization: collection.organization, parent: None };
    for one in all.iter().rev() {
        for id in collections::list_space_ids(cx.tx, one.id)? {
            let Some(space) = rows::get(cx.tx, id)? else { continue };
            spaces::delete(cx, &space)?;
            // The inherited level is lost with the collection. Store it in the space so that a
            // restored space is not visible to more users than before.
            let default_level = match space.effective_level {
                Level::Inherit => space.default_level,
                level => level,
            };
            let position = positions::at_end(cx.tx, top)?;
            rows::update(cx.tx, &Space { parent: None, default_level, position, ..space })?;
        }
        collections::delete(cx.tx, one.id)?;
        let event = Event::CollectionDeleted { collection: one.id, title: one.title.clone() };
        record(cx, one, event)?;
    }
    Ok(())
}
