//! `deleteLegacyGitInstallation`: ends the synchronisation of a space with a branch.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::git_sync;
use bindery_app::content::spaces::Space;
use bindery_model::Result;

use crate::call::Call;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("deleteLegacyGitInstallation", Action::ManageGitSync, run)
}

fn run(cx: &Context<'_>, space: &Authorized<Space>, _: &Call) -> Result<Reply> {
    let is_deleted = git_sync::delete(cx, space)?;
    Ok(Reply::empty(if is_deleted { 205 } else { 204 }))
}
