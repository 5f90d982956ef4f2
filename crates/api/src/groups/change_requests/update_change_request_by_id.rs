//! `updateChangeRequestById`: updates subject, description and status.

use bindery_app::access::{Action, Authorized};
use bindery_app::review::change_requests::{self, ChangeRequestPatch, ChangeRequestTarget, Status};
use bindery_app::{Context, content::documents};
use bindery_model::Result;
use bindery_wire::request::UpdateChangeRequestByIdBody;
use bindery_wire::values::UpdateChangeRequestByIdBodyStatus;

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
        status: status.map(|status| match status {
            UpdateChangeRequestByIdBodyStatus::Draft => Status::Draft,
            UpdateChangeRequestByIdBodyStatus::Open => Status::Open,
            UpdateChangeRequestByIdBodyStatus::Archived => Status::Archived,
        }),
    };
    render(cx, 200, change_requests::update(cx, target, patch)?)
}
