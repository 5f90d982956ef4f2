//! Sessions in which people write a page together, of a change request or of the main content.
//!
//! A session has a text, which is a document of the editor, and a version, which counts the batches
//! of steps that were accepted. The store has the order: each batch is adapted to those before it,
//! checked, and stored in the transaction that accepts it. After a pause the text is written into
//! the content as a revision. Changes of the content from outside, such as those of programs and of
//! Git, become a batch of the session when it is read next.
//!
//! The suggestions of a person for a page are a session too, whose text is never written into the
//! content: each difference to the page is a suggestion.

mod content;
mod doors;
mod follow;
mod history;
mod presence;
mod save;
mod send;
mod suggestions;
mod text;
mod windows;

use bindery_model::{EditingSessionId, Error, FieldPath, PageId, Result, UserId};
use bindery_steps::{Merged, Node};
use bindery_store::editing as rows;
pub use bindery_store::editing::{EditingBatch, EditingSession};
pub use content::EditedContent;
pub use doors::MadeFor;
pub(in crate::review) use doors::keep_typed;
pub use follow::{Follower, Follows, Message, Window};
pub use history::compact;
pub use presence::{PeopleChange, Present, Selection};
pub use save::{remove_idle, save_all, save_due, save_session, save_target};
pub use send::{Accepted, Authorize, SendQueue, Sent, send};
use serde_json::Value;
pub use suggestions::{Suggestion, SuggestionKind, accept, list as list_suggestions, refuse};
pub use windows::{list_people, remove_expired};

use self::text::{Text, TextCache};
use super::change_requests::author;
use crate::Context;

/// Maximum number of batches that a late one can be adapted to, and that one answer contains.
pub const MAX_BATCHES: u32 = 2_000;
/// The state of sessions in the memory of this node.
#[derive(Debug, Default)]
pub struct Editing {
    /// Texts that sessions had last.
    pub(crate) texts: TextCache,
    /// The clients that follow sessions.
    pub follows: Follows,
    /// Steps that wait for a transaction.
    queue: SendQueue,
}

/// A session with its text as the JSON of a document of the editor.
#[derive(Debug)]
pub struct Joined {
    /// The session.
    pub session: EditingSession,
    /// The text at the version of the session, as JSON.
    pub document: String,
    /// Number of places that the work and others changed differently.
    pub conflicts: usize,
}

/// The text that a client wrote while it was not connected.
#[derive(Debug)]
pub struct Work<'a> {
    /// The name of the sender.
    pub client: &'a str,
    /// The sender's number of the work, which grows as that of a batch.
    pub number: i64,
    /// The text that the work began with, as the JSON of a document of the editor.
    pub base: &'a Value,
    /// The text with the work.
    pub document: &'a Value,
    /// The numbers of batches and work that were sent without an answer, each with the text after
    /// it.
    pub sent: Vec<(i64, &'a Value)>,
}

/// Returns the session of a page, which is created if there is none, with the work merged in.
///
/// # Errors
/// Returns 404 if the content has no such page with a text, 409 if the content cannot be changed,
/// and an error if the work is no document of the editor.
pub fn join(
    cx: &Context<'_>,
    content: &EditedContent,
    page: PageId,
    suggests: bool,
    work: Option<&Work<'_>>,
) -> Result<Joined> {
    content.require_editable()?;
    let suggested_by = match suggests {
        true if content.change_request.is_none() => {
            return Err(FieldPath::new("/suggest")
                .invalid("allowed for a change request: open one for suggestions"));
        }
        true => Some(author(cx)?),
        false => None,
    };
    let session = session_of(cx, content, page, suggested_by)?;
    let mut text = Text::current(cx, content, session)?;
    let conflicts = match work {
        Some(work) => add_work(cx, content, &mut text, work)?,
        None => 0,
    };
    let document = text::to_json(&text.doc)?;
    Ok(Joined { session: text.finish(cx)?, document, conflicts })
}

/// Returns the session of a page, or of a person's suggestions for it, which is created if there is
/// none.
fn session_of(
    cx: &Context<'_>,
    content: &EditedContent,
    page: PageId,
    suggested_by: Option<UserId>,
) -> Result<EditingSession> {
    if let Some(session) = rows::of_page(cx.tx, content.key(), page, suggested_by)? {
        return Ok(session);
    }
    text::require_page(cx, content, page)?;
    let (space, change_request) = content.key();
    let session = EditingSession {
        id: EditingSessionId::random(&cx.app.entropy),
        space,
        change_request,
        page,
        suggested_by,
        base_revision: content.head(),
        base: None,
        base_version: 0,
        revision: content.head(),
        version: 0,
        saved: 0,
        stamp: text::random_name(cx),
        unsaved_since: None,
        retry_at: None,
        changed_at: cx.now(),
        open_suggestions: 0,
    };
    // Another node may begin it at the same time.
    match rows::create(cx.tx, &session)? {
        true => Ok(session),
        false => Err(Error::unavailable("the session begins just now; try again")),
    }
}

/// Merges the text that a client wrote while it was not connected. Work that arrives again changes nothing.
fn add_work(
    cx: &Context<'_>,
    content: &EditedContent,
    text: &mut Text,
    work: &Work<'_>,
) -> Result<usize> {
    let user = author(cx)?;
    let Work { client, number, base, document, ref sent } = *work;
    let known = text.sender(cx, user, client)?;
    let accepted = known.map_or(0, |known| known.number);
    if number <= accepted {
        return Ok(0);
    }
    let read = |name: &str, json: &Value| {
        let at = FieldPath::new("/work").field(name);
        let node = Node::from_json(json).map_err(|error| at.invalid(error))?;
        match node.is_document() {
            true => Ok(node),
            false => Err(at.invalid("allowed: a node of the type `doc`")),
        }
    };
    let document = read("document", document)?;
    let last = sent.iter().filter(|(number, _)| *number <= accepted);
    let base = match last.max_by_key(|(number, _)| *number) {
        Some((_, sent)) => read("sent", sent)?,
        None => read("base", base)?,
    };
    let Merged { steps, doc, conflicts } = text.doc.merged(&base, &document);
    text::check(cx, content, &FieldPath::new("/work/document"), (&doc, &text.doc))?;
    if !steps.is_empty() {
        text.add(cx, doc, &steps, &text::Source::Sender { user, client, number })?;
    }
    Ok(conflicts)
}

/// Returns a session of a content.
///
/// # Errors
/// Returns 404 if the content has no such session, such as one that ended after a long pause.
pub fn get(
    cx: &Context<'_>,
    content: &EditedContent,
    id: EditingSessionId,
) -> Result<EditingSession> {
    let found = rows::get(cx.tx, content.space.id, id)?;
    found
        .filter(|session| (session.space, session.change_request) == content.key())
        .ok_or_else(|| Error::not_found("editing session"))
}

/// Checks that a session is not that of another person's suggestions.
///
/// # Errors
/// Returns 403 otherwise.
pub fn require_own(cx: &Context<'_>, session: &EditingSession) -> Result<()> {
    match session.suggested_by {
        Some(user) if cx.user() != Some(user) => {
            Err(Error::forbidden("the session has the suggestions of another person"))
        }
        _ => Ok(()),
    }
}

/// Returns the batches of a session after a version, in their order.
///
/// # Errors
/// Returns 409 if the session no longer has all of them; the caller then joins again.
pub fn batches(
    cx: &Context<'_>,
    session: &EditingSession,
    after: i64,
) -> Result<Vec<EditingBatch>> {
    text::batches_after(cx, session, after)
}
