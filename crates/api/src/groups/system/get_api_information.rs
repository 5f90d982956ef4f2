//! `getApiInformation`: returns the version of the API and the version of the server.

use bindery_app::Context;
use bindery_app::access::{Action, Anyone, Authorized};
use bindery_model::Result;
use bindery_wire::response::ApiInformation;

use crate::call::Call;
use crate::operation::{Operation, read};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("getApiInformation", Action::Call, run)
}

fn run(_: &Context<'_>, _: &Authorized<Anyone>, _: &Call) -> Result<Reply> {
    let information =
        ApiInformation { version: "1".to_owned(), build: env!("CARGO_PKG_VERSION").to_owned() };
    Reply::json(200, &information)
}
