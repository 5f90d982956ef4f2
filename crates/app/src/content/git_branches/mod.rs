//! Branches of the repository with which a space is synchronised, as change requests, and the
//! reverse.
//!
//! Each branch has an agreement of its own: the content of its last known commit, and the content
//! of the change request whose changes the branch has. The differences of both sides to it are
//! transferred, so a change of either side reaches the other one, whatever else they contain.

mod close;
mod names;
mod open;
mod patterns;
mod protected;
mod pull;
mod push;
mod report;
mod run;
mod stages;

pub(super) use self::names::check_prefix;
pub(super) use self::patterns::check_pattern;
pub(super) use self::pull::proposed;
pub(super) use self::run::{BranchRun, is_followed, look};
pub use bindery_store::git_branches::GitBranch;

use bindery_model::{Error, Result};
use bindery_store::spaces::Space;
use bindery_store::{change_requests, git_branches, git_syncs};

use crate::Context;
use crate::access::Authorized;
use crate::publishing::audience::preview;

/// A branch, and the address at which its change request can be read, if there is one.
pub type Branch = (GitBranch, Option<String>);

/// Lists the branches that agree with change requests of a space by name, after the name `after`,
/// and returns their total number.
///
/// # Errors
/// Returns 404 if the space is not synchronised.
pub fn list(
    cx: &Context<'_>,
    space: &Authorized<Space>,
    after: &str,
    rows: u32,
) -> Result<(Vec<Branch>, i64)> {
    git_syncs::get(cx.tx, space.id)?
        .ok_or_else(|| Error::not_found("Git synchronisation of this space"))?;
    let mut branches = Vec::new();
    for branch in git_branches::list(cx.tx, space.id, after, rows)? {
        let row = match branch.change_request {
            Some(id) => change_requests::get(cx.tx, space.id, id)?,
            None => None,
        };
        let preview = row.map(|row| preview::of_branch(cx.app, cx.tx, &row)).transpose()?;
        branches.push((branch, preview.flatten()));
    }
    Ok((branches, git_branches::count(cx.tx, space.id)?))
}
