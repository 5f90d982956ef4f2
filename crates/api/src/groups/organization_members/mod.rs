//! Group `organization-members`.

mod list_spaces_for_organization_member;

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    vec![list_spaces_for_organization_member::operation()]
}
