//! Group `organization-members`.

mod list_members_in_organization_by_id;
mod list_spaces_for_organization_member;
mod list_teams_for_organization_member;
mod members;

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = vec![
        list_members_in_organization_by_id::operation(),
        list_spaces_for_organization_member::operation(),
        list_teams_for_organization_member::operation(),
    ];
    operations.extend(members::operations());
    operations
}
