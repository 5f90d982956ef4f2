//! Collections: creation, access levels and positions.

mod transfer;

pub use transfer::{delete, move_to, transfer};

use bindery_model::{
    CollectionId, Error, FieldPath, Level, OrganizationId, Result, Role, Timestamp,
};
pub use bindery_store::collections::Collection;
use bindery_store::collections::{self, CollectionFilter};
use bindery_store::organizations::Organization;
use bindery_store::positions::{Container, Item};
use bindery_store::spaces::Space;
use bindery_store::{CollectionSettings, Event, NewEvent};

use crate::access::{self, AccessFacts, Action, Authorized, Loaded, Target, authorize_target};
use crate::content::positions::{self, Position};
use crate::{Context, content::spaces, text};

/// Maximum length of a title, in characters.
const TITLE: usize = 50;
/// Maximum length of a description, in characters.
const DESCRIPTION: usize = 100;
const DEFAULT_TITLE: &str = "Untitled";
/// Maximum nesting depth of collections.
pub const DEPTH: usize = 32;

/// Returns an error unless the caller can add items to a container. `pointer` is the location of
/// the container in the request body.
///
/// # Errors
/// Returns 403 if the caller cannot create content there, and 404 if the caller cannot see the
/// organization or the collection, or if the collection belongs to another organization.
pub fn admit(cx: &Context<'_>, place: Container, pointer: impl Into<FieldPath>) -> Result<()> {
    let Container { organization, parent } = place;
    let Some(parent) = parent else {
        let action = Action::CreateContent;
        authorize_target::<Organization>(cx.tx, cx.caller, action, Some(&organization))?;
        return Ok(());
    };
    let action = Action::CreateInCollection;
    let parent = authorize_target::<Collection>(cx.tx, cx.caller, action, Some(&parent))?;
    if parent.organization == organization {
        Ok(())
    } else {
        Err(Error::not_found("collection").at(pointer.into()))
    }
}

/// Returns an error if a neighbour in a position does not exist or is invisible to the caller.
pub(crate) fn check_neighbours(cx: &Context<'_>, position: Position) -> Result<()> {
    let Position { before, after } = position;
    for (side, item) in [("before", before), ("after", after)] {
        let Some(item) = item else { continue };
        let person = cx.caller.person();
        let role = match item {
            Item::Space(id) => Space::load(cx.tx, person, &id)?.and_then(|loaded| loaded.role),
            Item::Collection(id) => {
                Collection::load(cx.tx, person, &id)?.and_then(|loaded| loaded.role)
            }
        };
        role.ok_or_else(|| positions::unknown_neighbour(side, item))?;
    }
    Ok(())
}

/// Returns the caller's role on a target.
fn level<T: Target>(cx: &Context<'_>, key: &T::Key) -> Result<Option<Role>> {
    Ok(T::load(cx.tx, cx.caller.person(), key)?.and_then(|Loaded { role, .. }| role))
}

/// Rejects a move that raises the caller's own role on the moved item. The message names the roles
/// only if the caller had a role on the item before.
pub(crate) fn refuse_promotion<T: Target>(
    cx: &Context<'_>,
    before: Option<Role>,
    key: &T::Key,
) -> Result<()> {
    let after = level::<T>(cx, key)?;
    match (before, after.filter(|_| after > before)) {
        (_, None) => Ok(()),
        (Some(before), Some(after)) => Err(Error::forbidden(format!(
            "you may not move this there: it would raise your own permission on it from {} to {}",
            before.as_str(),
            after.as_str()
        ))),
        (None, Some(_)) => Err(Error::forbidden(
            "you may not move this there: it would raise your own permissions in it",
        )),
    }
}

/// Creates a collection at the end of an organization or of another collection.
///
/// # Errors
/// Returns 400 if the title is invalid, 403 or 404 if the caller cannot create content there, and
/// 409 if the nesting would be too deep.
pub fn create(cx: &Context<'_>, place: Container, title: &str) -> Result<Collection> {
    admit(cx, place, "/parent")?;
    let title = match title.trim() {
        "" => DEFAULT_TITLE.to_owned(),
        title => text::title("/title", title, 1, TITLE)?,
    };
    check_depth(cx, place.parent, 1)?;
    let collection = Collection {
        id: CollectionId::random(&cx.app.entropy),
        organization: place.organization,
        parent: place.parent,
        title,
        description: String::new(),
        default_level: Level::Inherit,
        effective_level: spaces::effective_level(cx.tx, Level::Inherit, place.parent)?,
        position: positions::at_end(cx.tx, place)?,
        created_at: cx.now(),
    };
    collections::create(cx.tx, &collection)?;
    let title = collection.title.clone();
    record(cx, &collection, Event::CollectionCreated { collection: collection.id, title })?;
    Ok(collection)
}

/// Returns an error if `height` nested levels of collections would be too deep under `parent`.
fn check_depth(cx: &Context<'_>, parent: Option<CollectionId>, height: usize) -> Result<()> {
    let above = match parent {
        Some(parent) => collections::with_ancestors(cx.tx, &[parent])?.len(),
        None => 0,
    };
    if above + height > DEPTH {
        return Err(Error::conflict(format!("collections stand at most {DEPTH} in each other")));
    }
    Ok(())
}

/// The new values; absent fields stay unchanged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CollectionPatch {
    /// The title.
    pub title: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// The level of members without a grant of their own.
    pub default_level: Option<Level>,
}

/// Changes a collection.
///
/// # Errors
/// Returns 400 with the invalid field.
pub fn update(cx: &Context<'_>, before: &Collection, patch: CollectionPatch) -> Result<Collection> {
    let CollectionPatch { title, description, default_level } = patch;
    let mut after = before.clone();
    if let Some(title) = title {
        after.title = text::title("/title", &title, 1, TITLE)?;
    }
    if let Some(description) = description {
        after.description = text::title("/description", &description, 0, DESCRIPTION)?;
    }
    if let Some(level) = default_level {
        after.default_level = level;
        after.effective_level = spaces::effective_level(cx.tx, level, before.parent)?;
    }
    if after == *before {
        return Ok(after);
    }
    collections::update(cx.tx, &after)?;
    if after.effective_level != before.effective_level {
        propagate_level(cx, &after)?;
    }
    let event = Event::CollectionUpdated {
        collection: after.id,
        before: settings(before),
        after: settings(&after),
    };
    record(cx, &after, event)?;
    Ok(after)
}

fn settings(collection: &Collection) -> CollectionSettings {
    CollectionSettings {
        title: collection.title.clone(),
        description: collection.description.clone(),
        default_level: collection.default_level,
    }
}

/// Updates the effective level of all spaces and collections that inherit from a collection.
fn propagate_level(cx: &Context<'_>, from: &Collection) -> Result<()> {
    let level = from.effective_level;
    let mut next = vec![from.id];
    while let Some(id) = next.pop() {
        collections::set_effective_levels(cx.tx, id, level)?;
        let children = collections::children(cx.tx, id)?;
        let inherit = children.iter().filter(|child| child.default_level == Level::Inherit);
        next.extend(inherit.map(|child| child.id));
    }
    Ok(())
}

fn record(cx: &Context<'_>, collection: &Collection, event: Event) -> Result<()> {
    let event = NewEvent::new(event).by(cx.user());
    cx.tx.record(&event.organization(collection.organization))?;
    Ok(())
}

/// A collection that the caller sees.
#[derive(Clone, Debug)]
pub struct VisibleCollection {
    /// The row.
    pub collection: Collection,
    /// The caller's role.
    pub role: Role,
    /// `true` if the caller sees the parent collection.
    pub shows_parent: bool,
}

/// Returns a collection by id with the data that a response shows; `None` if it does not exist.
///
/// # Errors
/// Returns 404 if the caller does not see the collection.
pub fn get(cx: &Context<'_>, id: CollectionId) -> Result<Option<VisibleCollection>> {
    collections::get(cx.tx, id)?.map(|found| seen(cx, found)).transpose()
}

/// Returns a collection with the data that a response shows.
///
/// # Errors
/// Returns an error if the store fails.
pub fn seen(cx: &Context<'_>, collection: Collection) -> Result<VisibleCollection> {
    let found = with_levels(cx, collection.organization, vec![collection])?;
    found.into_iter().next().ok_or_else(|| Error::not_found("collection"))
}

fn with_levels(
    cx: &Context<'_>,
    organization: OrganizationId,
    found: Vec<Collection>,
) -> Result<Vec<VisibleCollection>> {
    let Some(person) = cx.caller.person() else { return Ok(Vec::new()) };
    let standing = access::membership(cx.tx, person, organization)?;
    let rows: Vec<&Collection> = found.iter().collect();
    let around = AccessFacts::load(cx.tx, person.user, standing, &[], &rows)?;
    let seen = found.into_iter().filter_map(|collection| {
        let role = around.collection(&collection).role()?;
        let shows_parent = around.sees_parent(collection.parent);
        Some(VisibleCollection { collection, role, shows_parent })
    });
    Ok(seen.collect())
}

/// Returns the collections of an organization that the caller sees, oldest first, after the cursor,
/// and their number: all of them, or only those without a parent.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    outermost: bool,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<VisibleCollection>, i64)> {
    let nothing = Ok((Vec::new(), 0));
    let Some(person) = cx.caller.person() else { return nothing };
    if !person.spaces.is_empty() {
        return nothing;
    }
    let (membership, _) = access::membership(cx.tx, person, organization.id)?;
    let Some(viewer) = spaces::sight(person.user, membership) else { return nothing };
    let filter = CollectionFilter { organization: organization.id, outermost, viewer };
    let count = collections::count(cx.tx, &filter)?;
    let found = collections::list(cx.tx, &filter, after, rows)?;
    Ok((with_levels(cx, organization.id, found)?, count))
}
