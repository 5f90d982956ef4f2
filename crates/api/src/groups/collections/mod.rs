//! Group `collections`.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::collections::{self, Collection, CollectionPatch, VisibleCollection};
use bindery_app::content::positions::{Container, Item, Position};
use bindery_app::content::spaces::{self, CollectionPage, ListPosition};
use bindery_app::people::organizations::Organization;
use bindery_model::{CollectionId, Error, OrganizationId, Result, SpaceId};
use bindery_wire::request::{
    ContentPosition, ContentPositionBefore, CreateCollectionBody, MoveCollectionBody,
    TransferCollectionBody, UpdateCollectionByIdBody,
};

use crate::call::Call;
use crate::closed_sets::level_of;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("getCollectionById", Action::ReadCollection, get),
        write("updateCollectionById", Action::ManageCollection, update),
        write("deleteCollectionById", Action::DeleteCollection, delete),
        read("listSpacesInCollectionById", Action::ReadCollection, list_spaces),
        write("moveCollection", Action::MoveContent, move_to),
        write("transferCollection", Action::TransferContent, transfer),
        read("listCollectionsInOrganizationById", Action::ViewOrganization, list),
        // The permission depends on the parent collection in the body.
        write("createCollection", Action::ViewOrganization, create)
            .additional_action(Action::CreateContent),
    ]
}

/// Parses the id of a collection in a body.
///
/// # Errors
/// 404 if the text is no valid id.
pub(crate) fn collection_id(text: &str) -> Result<CollectionId> {
    CollectionId::parse(text).ok_or_else(|| Error::not_found("collection"))
}

/// Parses the id of an organization in a body.
///
/// # Errors
/// 404 if the text is no valid id.
pub(crate) fn organization_id(text: &str) -> Result<OrganizationId> {
    OrganizationId::parse(text).ok_or_else(|| Error::not_found("organization"))
}

/// Parses a position among siblings.
///
/// # Errors
/// 400 if an id is malformed.
pub(crate) fn position(new_position: Option<ContentPosition>) -> Result<Position> {
    let Some(ContentPosition { before, after }) = new_position else {
        return Ok(Position::default());
    };
    let item = |side: &str, pointer: ContentPositionBefore| {
        let (id, item) = match pointer {
            ContentPositionBefore::SpacePointer(pointer) => {
                let item = SpaceId::parse(&pointer.space).map(Item::Space);
                (pointer.space, item)
            }
            ContentPositionBefore::CollectionPointer(pointer) => {
                let item = CollectionId::parse(&pointer.collection).map(Item::Collection);
                (pointer.collection, item)
            }
        };
        item.ok_or_else(|| {
            Error::invalid(format!(
                "body at /position/{side}: found {id:?}, allowed: the id of another space or \
                 collection in the same place"
            ))
        })
    };
    Ok(Position {
        before: before.map(|pointer| item("before", pointer)).transpose()?,
        after: after.map(|pointer| item("after", pointer)).transpose()?,
    })
}

fn render(cx: &Context<'_>, status: u16, collection: Collection) -> Result<Reply> {
    let seen = collections::seen(cx, collection)?;
    Reply::json(status, &present::collection(cx.app, seen))
}

fn get(cx: &Context<'_>, collection: &Authorized<Collection>, _: &Call) -> Result<Reply> {
    render(cx, 200, Collection::clone(collection))
}

fn update(cx: &Context<'_>, collection: &Authorized<Collection>, call: &Call) -> Result<Reply> {
    let UpdateCollectionByIdBody { title, description, default_level } = call.body()?;
    let default_level = default_level.change().map(level_of);
    let patch = CollectionPatch { title, description, default_level };
    render(cx, 200, collections::update(cx, collection, patch)?)
}

fn delete(cx: &Context<'_>, collection: &Authorized<Collection>, _: &Call) -> Result<Reply> {
    collections::delete(cx, collection)?;
    Ok(Reply::empty(205))
}

fn list_spaces(
    cx: &Context<'_>,
    collection: &Authorized<Collection>,
    call: &Call,
) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let after = page.after().and_then(list_position);
    let CollectionPage { spaces, count } =
        spaces::list_in_collection(cx, collection, after.as_ref(), page.rows())?;
    let list = page.list_of(
        spaces,
        count,
        |(_, ListPosition { since, position, space })| format!("{since} {position} {space}"),
        |rows| present::spaces(cx, rows.into_iter().map(|(seen, _)| seen).collect()),
    )?;
    Reply::json(200, &list)
}

/// Parses a cursor of `listSpacesInCollectionById`.
fn list_position(cursor: &str) -> Option<ListPosition> {
    let (since, rest) = cursor.split_once(' ')?;
    let (position, space) = rest.split_once(' ')?;
    let since = since.parse().ok()?;
    Some(ListPosition { since, position: position.to_owned(), space: space.to_owned() })
}

fn move_to(cx: &Context<'_>, collection: &Authorized<Collection>, call: &Call) -> Result<Reply> {
    let MoveCollectionBody { parent, position: new_position } = call.body()?;
    let parent = parent.change().map(|parent| parent.map(|id| collection_id(&id)).transpose());
    let moved = collections::move_to(cx, collection, parent.transpose()?, position(new_position)?)?;
    render(cx, 200, moved)
}

fn transfer(cx: &Context<'_>, collection: &Authorized<Collection>, call: &Call) -> Result<Reply> {
    let TransferCollectionBody { organization } = call.body()?;
    let moved = collections::transfer(cx, collection, organization_id(&organization)?)?;
    render(cx, 200, moved)
}

fn list(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let outermost = !call.flag("nested", true);
    let (seen, count) =
        collections::list(cx, organization, outermost, page.after_time(), page.rows())?;
    let position =
        |seen: &VisibleCollection| time_position(seen.collection.created_at, seen.collection.id);
    let list = page.list(seen, count, position, |seen| Ok(present::collection(cx.app, seen)))?;
    Reply::json(200, &list)
}

fn create(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let CreateCollectionBody { title, parent } = call.body()?;
    let parent = parent.map(|parent| collection_id(&parent)).transpose()?;
    let container = Container { organization: organization.id, parent };
    let created = collections::create(cx, container, &title.unwrap_or_default())?;
    let location = cx.app.urls.api(format_args!("/collections/{}", created.id));
    Ok(render(cx, 201, created)?.with_location(location))
}
