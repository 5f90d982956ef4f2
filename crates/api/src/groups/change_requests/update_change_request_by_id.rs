//! `updateChangeRequestById`: updates subject, description and status.

use bindery_app::access::{Action, Authorized};
use bindery_app::change_requests::{self, ChangeRequestPatch, ChangeRequestTarget};
use bindery_app::{Context, documents};
use bindery_model::Result;
use bindery_store::change_requests::Status;
use bindery_wire::request::UpdateChangeRequestByIdBody;

use super::render;
use crate::call::Call;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("updateChangeRequestById", Action::EditChangeRequest, run)
}

fn run(cx: &Context<'_>, target: &Authorized<ChangeRequestTarget>, call: &Call) -> Result<Reply> {
    let UpdateChangeRequestByIdBody { subject, description, status } = call.body()?;
    let patch = ChangeRequestPatch {
        subject,
        description: description
            .map(|document| documents::of_people("/description", &document))
            .transpose()?,
        status: status.and_then(|status| Status::parse(status.as_str())),
    };
    render(cx, 200, change_requests::update(cx, target, patch)?)
}
