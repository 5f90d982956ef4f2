//! Group `space-git`.

mod get_space_git_info;
mod import_git_repository;

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    vec![get_space_git_info::operation(), import_git_repository::operation()]
}
