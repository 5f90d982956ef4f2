//! `deleteLegacyGitInstallation`: ends the synchronisation of a space with a branch.

use bindery_app::access::Action;

use crate::groups::bindery::git_sync;
use crate::operation::{Operation, write};

pub(super) fn operation() -> Operation {
    write("deleteLegacyGitInstallation", Action::ManageGitSync, git_sync::delete)
}
