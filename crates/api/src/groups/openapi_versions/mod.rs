//! Group `openapi-versions`: the content of OpenAPI specifications. An organization has none yet,
//! and content that names one shows a link to its address.

use bindery_app::Context;
use bindery_app::access::{Action, Anyone, Authorized};
use bindery_model::{Error, Result};

use crate::call::Call;
use crate::operation::{Operation, read};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![read("getLatestOpenAPISpecVersionContent", Action::Call, latest_content)]
}

fn latest_content(_: &Context<'_>, _: &Authorized<Anyone>, _: &Call) -> Result<Reply> {
    Err(Error::not_found("OpenAPI specification"))
}
