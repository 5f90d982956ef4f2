//! Comments on spaces and change requests.

mod lifecycle;
mod notifications;
mod refusals;

use bindery_testkit::{Call, Client};

/// Returns a call of an operation on comments of a space or of a change request, given its name
/// without the words for the kind of content.
fn call(client: &Client, operation: &str, space: &str, change_request: Option<&str>) -> Call {
    match change_request {
        None => client.call(&format!("{operation}InSpace")).path("spaceId", space),
        Some(id) => {
            let call = client.call(&format!("{operation}InChangeRequest")).path("spaceId", space);
            call.path("changeRequestId", id)
        }
    }
}
