//! `createSpace`: creates a space in an organization, empty or from a template.

use bindery_app::access::{Action, Authorized};
use bindery_app::content::computed;
use bindery_app::content::positions::Container;
use bindery_app::content::spaces::{self, NewSpace};
use bindery_app::people::organizations::Organization;
use bindery_app::{Context, content::collections, review::change_requests};
use bindery_model::{Result, Role};
use bindery_wire::Patch;
use bindery_wire::request::CreateSpace;
use bindery_wire::values::SpaceEditMode;

use crate::call::Call;
use crate::groups::collections::collection_id;
use crate::groups::space_content::template::template_request;
use crate::languages::language_change;
use crate::operation::{Operation, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    // The permission depends on the parent collection in the body.
    write("createSpace", Action::ViewOrganization, run).additional_action(Action::CreateContent)
}

fn run(cx: &Context<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let CreateSpace {
        title,
        emoji,
        parent,
        language,
        language_tag,
        edit_mode,
        template,
        computed_source,
        empty: _,
    } = call.body()?;
    let parent = parent.map(|parent| collection_id(&parent)).transpose()?;
    collections::admit(cx, Container { organization: organization.id, parent }, "/parent")?;
    let new = NewSpace {
        title: title.unwrap_or_default(),
        emoji: emoji.unwrap_or_default(),
        language: language_change(language, language_tag.map_or(Patch::Absent, Patch::Value))?
            .flatten(),
        parent,
        locked: edit_mode == Some(SpaceEditMode::Locked),
    };
    let mut space = spaces::create(cx, organization.id, &new)?;
    if let Some(template) = template {
        let request = template_request(template, "/template", space.id);
        space.head = change_requests::begin_with_template(cx, &space, &request)?;
    }
    if let Some(source) = computed_source {
        space.head = computed::begin(cx, &space, &source)?;
    }
    let location = cx.app.urls.api(format_args!("/spaces/{}", space.id));
    let seen = spaces::seen(cx, space, Role::Create)?;
    Ok(Reply::json(201, &present::one_space(cx, seen)?)?.with_location(location))
}
