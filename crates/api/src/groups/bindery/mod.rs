//! Bindery's own operations, where the contract has none.

mod create_user;
mod import_space_archive;
mod jobs;
mod tokens;

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = vec![create_user::operation(), import_space_archive::operation()];
    operations.extend(jobs::operations());
    operations.extend(tokens::operations());
    operations
}
