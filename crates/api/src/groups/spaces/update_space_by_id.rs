//! `updateSpaceById`: updates settings of a space.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::spaces::{self, Space, SpacePatch, VisibleSpace};
use bindery_app::review::merge_rules::MergeRules;
use bindery_model::{Error, Result};
use bindery_wire::request::UpdateSpaceByIdBody;
use bindery_wire::values::SpaceEditMode;
use serde::Deserialize as _;

use crate::call::Call;
use crate::closed_sets::level_of;
use crate::languages::language_change;
use crate::operation::{Operation, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("updateSpaceById", Action::ManageSpace, run)
}

fn run(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let UpdateSpaceByIdBody {
        edit_mode,
        title,
        default_level,
        language,
        language_tag,
        merge_rules,
        emoji,
        icon,
        template,
    } = call.body()?;
    let level = default_level.change().map(level_of);
    let merge_rules = merge_rules.map(|rules| {
        MergeRules::deserialize(rules)
            .map_err(|error| Error::invalid(format!("body at /mergeRules: {error}")))
    });
    let patch = SpacePatch {
        title,
        emoji: emoji.change(),
        icon: icon.change(),
        locked: edit_mode.map(|mode| mode == SpaceEditMode::Locked),
        default_level: level,
        language: language_change(language, language_tag)?,
        merge_rules: merge_rules.transpose()?,
        template,
    };
    let after = spaces::update(cx, space, patch)?;
    let head = after.head;
    let seen = VisibleSpace { space: after, role: space.role() };
    Ok(Reply::json(200, &present::one_space(cx, seen)?)?.with_revision_etag(head))
}
