//! `createSpace`: a space in an organization, empty or with what a template has.

use bindery_app::access::{Action, Authorized};
use bindery_app::spaces::{self, NewSpace, Seen};
use bindery_app::{Cx, change_requests};
use bindery_model::{Error, Result, Role};
use bindery_store::organizations::Organization;
use bindery_wire::request::CreateSpace;
use bindery_wire::values::SpaceEditMode;

use crate::call::Call;
use crate::groups::space_content::template::wanted;
use crate::operation::{Operation, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("createSpace", Action::CreateContent, run)
}

fn run(cx: &Cx<'_>, organization: &Authorized<Organization>, call: &Call) -> Result<Reply> {
    let CreateSpace {
        title,
        emoji,
        parent,
        language,
        edit_mode,
        template,
        computed_source,
        empty: _,
    } = call.body()?;
    if parent.is_some() {
        // Collections come with their own operations; until then there is none to name.
        return Err(Error::not_found("collection"));
    }
    if computed_source.is_some() {
        return Err(Error::pending("spaces with computed content are not built yet"));
    }
    let new = NewSpace {
        title: title.unwrap_or_default(),
        emoji: emoji.unwrap_or_default(),
        language: language.map(|language| language.as_str().to_owned()),
        parent: None,
        locked: edit_mode == Some(SpaceEditMode::Locked),
    };
    let mut space = spaces::create(cx, organization, &new)?;
    if let Some(template) = template {
        let wanted = wanted(template, "/template", space.id);
        space.head = change_requests::begin_with_template(cx, &space, &wanted)?;
    }
    let location = cx.app.urls.api(format_args!("/spaces/{}", space.id));
    let seen = Seen { space, role: organization.role().max(Role::Create) };
    Ok(Reply::json(201, &present::one_space(cx, seen)?)?.at(location))
}
