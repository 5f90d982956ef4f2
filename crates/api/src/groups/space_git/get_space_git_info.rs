//! `getSpaceGitInfo`: returns the repository that a space was last synchronised from.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::git;
use bindery_app::content::spaces::Space;
use bindery_model::{Error, Result};

use crate::call::Call;
use crate::operation::{Operation, read};
use crate::present;
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    read("getSpaceGitInfo", Action::ReadSpace, run)
}

fn run(cx: &Context<'_>, space: &Authorized<Space>, _: &Call) -> Result<Reply> {
    let origin = git::origin(cx, space)?;
    let origin = origin.ok_or_else(|| Error::not_found("Git synchronisation of this space"))?;
    Reply::json(200, &present::git_state(origin))
}
