//! `getAuthenticatedUser`: returns the caller.

use bindery_app::access::{Action, Authorized, SignedIn};
use bindery_app::{Context, people::users};
use bindery_model::Result;

use crate::call::Call;
use crate::operation::{Operation, read};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("getAuthenticatedUser", Action::ActAsSelf, run)
}

fn run(cx: &Context<'_>, _: &Authorized<SignedIn>, _: &Call) -> Result<Reply> {
    Reply::json(200, &present::user(cx.app, users::caller(cx)?))
}
