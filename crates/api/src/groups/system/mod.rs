//! Group `system`.

mod get_api_information;

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    vec![get_api_information::operation()]
}
