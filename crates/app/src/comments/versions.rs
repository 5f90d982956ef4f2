//! Versions of comments and replies, for callers that change only what they know.

use bindery_revision::Hash;
use bindery_store::comments::{Comment, Reply};

use crate::App;

/// A name for what a comment says and whether its discussion has ended: another one whenever that
/// changes. Replies and reactions, which others add beside it, leave it as it is.
pub fn version(app: &App, comment: &Comment) -> String {
    let Comment { id, body, edited_at, resolved, .. } = comment;
    name(app, &format!("{id} {edited_at:?} {resolved:?} {body}"))
}

/// A name for what a reply says: another one whenever that changes.
pub fn reply_version(app: &App, reply: &Reply) -> String {
    let Reply { id, body, edited_at, .. } = reply;
    name(app, &format!("{id} {edited_at:?} {body}"))
}

fn name(app: &App, state: &str) -> String {
    app.secrets.version_of(&Hash::of(state.as_bytes())).to_string()
}
