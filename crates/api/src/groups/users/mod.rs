//! Group `users`.

mod get_authenticated_user;

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    vec![get_authenticated_user::operation()]
}
