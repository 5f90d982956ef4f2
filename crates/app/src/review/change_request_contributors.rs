//! The contributors of a change request.

use bindery_model::{Error, Result};
use bindery_store::change_requests;
pub use bindery_store::change_requests::{Contribution, Contributor};
use bindery_store::users::{self, User};

use crate::Context;
use crate::review::change_requests::ChangeRequestTarget;

/// A contribution with its user.
#[derive(Clone, Debug)]
pub struct ContributorView {
    /// The row.
    pub contributor: Contributor,
    /// The user.
    pub user: User,
}

/// Returns the users who edited a change request and the users who commented on it, the latest
/// first. Lists a user who did both twice.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(cx: &Context<'_>, target: &ChangeRequestTarget) -> Result<Vec<ContributorView>> {
    let rows = change_requests::list_contributors(cx.tx, target.change_request.id)?;
    let ids: Vec<_> = rows.iter().map(|row| row.user).collect();
    let people = users::get_many(cx.tx, &ids)?;
    let views = rows.into_iter().map(|contributor| {
        let user = people.get(&contributor.user).cloned();
        let user = user.ok_or_else(|| Error::internal("a contributor without a user"))?;
        Ok(ContributorView { contributor, user })
    });
    views.collect()
}
