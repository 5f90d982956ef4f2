//! Bindery's own operations, which the original contract does not have.

mod change_request_files;
mod change_request_pages;
mod change_requests;
mod create_user;
mod differences;
mod editing;
mod get_access;
pub(super) mod git_sync;
mod import_space_archive;
mod invitations;
mod jobs;
mod members;
mod notifications;
mod openapi;
mod problems;
mod receive_git_event;
mod sessions;
mod sign_in;
mod site_images;
mod space_content;
mod space_history;
mod suggestions;
mod templates;
mod tokens;

use crate::operation::Operation;

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = vec![create_user::operation(), get_access::operation()];
    operations.push(import_space_archive::operation());
    operations.push(members::operation());
    operations.push(receive_git_event::operation());
    operations.push(site_images::operation());
    operations.push(space_content::operation());
    operations.push(templates::operation());
    operations.push(change_request_files::operation());
    operations.extend(change_request_pages::operations());
    operations.extend(space_history::operations());
    operations.extend(change_requests::operations());
    operations.extend(differences::operations());
    operations.extend(editing::operations());
    operations.extend(suggestions::operations());
    operations.extend(git_sync::operations());
    operations.extend(invitations::operations());
    operations.extend(jobs::operations());
    operations.extend(notifications::operations());
    operations.extend(openapi::operations());
    operations.extend(problems::operations());
    operations.extend(sessions::operations());
    operations.extend(sign_in::operations());
    operations.extend(tokens::operations());
    operations
}
