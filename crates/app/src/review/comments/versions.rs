//! Versions of comments and replies for conditional requests.

use bindery_revision::Hash;
use bindery_store::comments::{Comment, Reply};

use crate::App;

/// Returns the version of a comment. It changes with the text and with the status of the
/// discussion, but not with replies and reactions.
pub fn version(app: &App, comment: &Comment) -> String {
    let Comment { id, body, edited_at, resolved, .. } = comment;
    name(app, &format!("{id} {edited_at:?} {resolved:?} {body}"))
}

/// Returns the version of a reply. It changes with the text.
pub fn reply_version(app: &App, reply: &Reply) -> String {
    let Reply { id, body, edited_at, .. } = reply;
    name(app, &format!("{id} {edited_at:?} {body}"))
}

fn name(app: &App, state: &str) -> String {
    app.secrets.version_of(&Hash::of(state.as_bytes())).to_string()
}
