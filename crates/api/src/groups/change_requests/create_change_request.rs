//! `createChangeRequest`: creates a draft from the current main content, with the pages of a
//! template if one is given.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::spaces::Space;
use bindery_app::review::change_requests::{self, ChangeRequestTarget, NewChangeRequest};
use bindery_model::Result;
use bindery_wire::request::CreateChangeRequestBody;
use serde_json::{Map, Value};

use super::render;
use crate::call::Call;
use crate::groups::space_content::template::template_request;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("createChangeRequest", Action::EditChangeRequest, run)
}

/// The fields that the contract describes; others are stored as custom properties.
const CONTRACT_FIELDS: [&str; 2] = ["subject", "template"];

fn run(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let CreateChangeRequestBody { subject, agent_task_id: _, template } = call.body()?;
    let properties = call.body::<Map<String, Value>>()?.into_iter();
    let extra: Map<String, Value> =
        properties.filter(|(name, _)| !CONTRACT_FIELDS.contains(&name.as_str())).collect();
    let new = NewChangeRequest {
        subject: subject.unwrap_or_default(),
        extra: (!extra.is_empty()).then(|| Value::Object(extra).to_string()),
    };
    let mut created = change_requests::create(cx, space, &new)?;
    if let Some(template) = template {
        let request = template_request(template, "/template", space.id);
        let target = ChangeRequestTarget { space: (**space).clone(), change_request: created };
        let _revision = change_requests::apply_template(cx, &target, &request)?;
        created = change_requests::reload(cx, &target)?;
    }
    render(cx, 201, created)
}
