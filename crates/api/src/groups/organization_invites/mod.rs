//! Group `organization-invites`: invitations by mail, and links.

mod invite_users_to_organization;
mod links;

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = vec![invite_users_to_organization::operation()];
    operations.extend(links::operations());
    operations
}
