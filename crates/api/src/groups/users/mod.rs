//! Group `users`.

mod get_authenticated_user;
mod profile;

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = vec![get_authenticated_user::operation()];
    operations.extend(profile::operations());
    operations
}
