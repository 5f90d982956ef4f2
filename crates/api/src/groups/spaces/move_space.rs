//! `moveSpace` moves a space within its organization, `transferSpace` to another organization.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::spaces;
use bindery_app::content::spaces::Space;
use bindery_model::{Result, Role};
use bindery_wire::request::{MoveSpaceBody, TransferSpaceBody};

use crate::call::Call;
use crate::groups::collections::{collection_id, organization_id, position};
use crate::operation::{Operation, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        write("moveSpace", Action::MoveContent, move_to),
        write("transferSpace", Action::TransferContent, transfer),
    ]
}

fn render(cx: &Context<'_>, space: Space) -> Result<Reply> {
    let head = space.head;
    let seen = spaces::seen(cx, space, Role::Read)?;
    Ok(Reply::json(200, &present::one_space(cx, seen)?)?.with_revision_etag(head))
}

fn move_to(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let MoveSpaceBody { parent, position: new_position } = call.body()?;
    let parent = parent.change().map(|parent| parent.map(|id| collection_id(&id)).transpose());
    render(cx, spaces::move_to(cx, space, parent.transpose()?, position(new_position)?)?)
}

fn transfer(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let TransferSpaceBody { organization, parent } = call.body()?;
    let organization = organization_id(&organization)?;
    let parent = match parent.change() {
        Some(parent) => parent.map(|id| collection_id(&id)).transpose()?,
        None if organization == space.organization => space.parent,
        None => None,
    };
    render(cx, spaces::transfer(cx, space, organization, parent)?)
}
