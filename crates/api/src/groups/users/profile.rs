//! `getUserById`, `updateUserById`: people, and what they say about themselves.

use bindery_app::Cx;
use bindery_app::access::{Action, Authorized, UserTarget};
use bindery_app::users::{self, UserPatch};
use bindery_model::Result;
use bindery_wire::request::UpdateUserByIdBody;

use crate::call::Call;
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("getUserById", Action::ViewUser, get),
        write("updateUserById", Action::ManageUser, update),
    ]
}

fn get(cx: &Cx<'_>, target: &Authorized<UserTarget>, _: &Call) -> Result<Reply> {
    Reply::json(200, &present::user(cx.app, target.0.clone()))
}

fn update(cx: &Cx<'_>, target: &Authorized<UserTarget>, call: &Call) -> Result<Reply> {
    let UpdateUserByIdBody { display_name, photo_url } = call.body()?;
    let after = users::update(cx, target, UserPatch { display_name, photo_url })?;
    Reply::json(200, &present::user(cx.app, after))
}
