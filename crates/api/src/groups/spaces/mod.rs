//! Group `spaces`.

mod create_space;
mod delete_space_by_id;
mod duplicate_space;
mod get_space_by_id;
mod list_spaces_in_organization_by_id;
mod move_space;
mod update_space_by_id;

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = vec![
        create_space::operation(),
        duplicate_space::operation(),
        get_space_by_id::operation(),
        list_spaces_in_organization_by_id::operation(),
        update_space_by_id::operation(),
    ];
    operations.extend(delete_space_by_id::operations());
    operations.extend(move_space::operations());
    operations
}
