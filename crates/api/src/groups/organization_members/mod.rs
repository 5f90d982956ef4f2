//! Group `organization-members`.

mod list_spaces_for_organization_member;
mod list_teams_for_organization_member;

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        list_spaces_for_organization_member::operation(),
        list_teams_for_organization_member::operation(),
    ]
}
