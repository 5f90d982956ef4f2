//! Sessions in which people write a page of a change request together.
//!
//! A session has a text, which is a document of the editor, and a version, which counts the batches
//! of steps that were accepted. The store has the order: each batch is adapted to those before it,
//! checked, and stored in the transaction that accepts it. After a pause the text is written into
//! the content of the change request as a revision. Changes of the content from outside,
//! such as those of programs and of Git, become a batch of the session when it is read next.

mod follow;
mod presence;
mod save;
mod text;

use bindery_model::{EditingSessionId, Error, FieldPath, PageId, Result, UserId};
use bindery_steps::{Merged, Node, Step, rebase};
use bindery_store::editing::{self as rows, EditingClient};
pub use bindery_store::editing::{EditingBatch, EditingSession};
pub use follow::{Follower, Follows, Message, Window};
pub use presence::{PeopleChange, Present, Selection};
pub use save::{remove_idle, save_all, save_due, save_session};
use serde_json::Value;

use self::text::{Text, TextCache};
use super::change_requests::{ChangeRequestTarget, author, editable};
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
}

/// A session with its text as the JSON of a document of the editor.
#[derive(Debug)]
pub struct Joined {
    /// The session.
    pub session: EditingSession,
    /// The text at the version of the session.
    pub document: Value,
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
/// Returns 404 if the change request has no such page with a text, 409 if the change request is
/// merged or archived, and an error if the work is no document of the editor.
pub fn join(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    page: PageId,
    work: Option<&Work<'_>>,
) -> Result<Joined> {
    let row = &target.change_request;
    editable(row.status)?;
    let session = match rows::of_page(cx.tx, row.id, page)? {
        Some(session) => session,
        None => {
            text::require_page(cx, target, page)?;
            let session = EditingSession {
                id: EditingSessionId::random(&cx.app.entropy),
                space: target.space.id,
                change_request: row.id,
                page,
                base_revision: row.head,
                base: None,
                base_version: 0,
                revision: row.head,
                version: 0,
                saved: 0,
                stamp: text::random_name(cx),
                unsaved_since: None,
                retry_at: None,
                changed_at: cx.now(),
            };
            // Another node may begin it at the same time.
            match rows::create(cx.tx, &session)? {
                true => session,
                false => return Err(Error::unavailable("the session begins just now; try again")),
            }
        }
    };
    let mut text = Text::current(cx, target, session)?;
    let conflicts = match work {
        Some(work) => add_work(cx, target, &mut text, work)?,
        None => 0,
    };
    let document = text.doc.to_json();
    Ok(Joined { session: text.finish(cx)?, document, conflicts })
}

/// Merges the text that a client wrote while it was not connected. Work that arrives again changes nothing.
fn add_work(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    text: &mut Text,
    work: &Work<'_>,
) -> Result<usize> {
    let user = author(cx)?;
    let Work { client, number, base, document, ref sent } = *work;
    let known = sender(cx, &text.session, user, client)?;
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
    text::check(cx, target, &FieldPath::new("/work/document"), (&doc, &text.doc))?;
    if !steps.is_empty() {
        text.add(cx, doc, &steps, &text::Source::Sender { user, client, number });
    }
    Ok(conflicts)
}

/// Returns a session of a change request.
///
/// # Errors
/// Returns 404 if the change request has no such session, such as one that ended after a long
/// pause.
pub fn get(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    id: EditingSessionId,
) -> Result<EditingSession> {
    let found = rows::get(cx.tx, target.change_request.id, id)?;
    found.ok_or_else(|| Error::not_found("editing session"))
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

/// Steps that a client sends.
#[derive(Debug)]
pub struct Sent<'a> {
    /// The version of the text that they were made for.
    pub version: i64,
    /// The name of the sender.
    pub client: &'a str,
    /// The sender's number of the batch, which grows.
    pub number: i64,
    /// The steps, as JSON.
    pub steps: &'a [Value],
}

/// Accepts steps: adapts them to those that were accepted since their version, and stores them.
/// Steps that the others left nothing to change are dropped. A batch that arrives again changes
/// nothing. Returns the session, and the version at which the batch was accepted.
///
/// # Errors
/// Returns an error if a step does not fit, if the text after it is no document of the API, or if
/// the session no longer has the batches since the version; the caller then joins again.
pub fn send(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    id: EditingSessionId,
    sent: &Sent<'_>,
) -> Result<(EditingSession, i64)> {
    editable(target.change_request.status)?;
    let user = author(cx)?;
    let session = get(cx, target, id)?;
    if let Some(version) = accepted_before(cx, &session, user, sent)? {
        return Ok((session, version));
    }
    let mut text = Text::current(cx, target, session)?;
    let own = steps_of(sent.steps)?;
    let mut over = Vec::new();
    for batch in text::batches_after(cx, &text.session, sent.version)? {
        over.extend(text::stored_steps(&batch)?);
    }
    let before = text.doc.clone();
    let (steps, doc) = match over.is_empty() {
        true => applied(&own, &before)?,
        false => rebase(&own, &over, &before),
    };
    text::check(cx, target, &FieldPath::new("/steps"), (&doc, &before))?;
    let source = text::Source::Sender { user, client: sent.client, number: sent.number };
    text.add(cx, doc, &steps, &source);
    let version = text.session.version;
    Ok((text.finish(cx)?, version))
}

/// Returns the version at which a batch was accepted that arrives again.
fn accepted_before(
    cx: &Context<'_>,
    session: &EditingSession,
    user: UserId,
    sent: &Sent<'_>,
) -> Result<Option<i64>> {
    let known = sender(cx, session, user, sent.client)?;
    Ok(known.filter(|known| sent.number <= known.number).map(|known| known.version))
}

/// Returns the last batch of a sender.
///
/// # Errors
/// Returns 409 if another user has the name.
fn sender(
    cx: &Context<'_>,
    session: &EditingSession,
    user: UserId,
    client: &str,
) -> Result<Option<EditingClient>> {
    let known = rows::client(cx.tx, session.id, client)?;
    if known.as_ref().is_some_and(|known| known.user != user) {
        let at = FieldPath::new("/client");
        return Err(at.conflict("another user sends steps under this name: choose a random one"));
    }
    Ok(known)
}

fn steps_of(sent: &[Value]) -> Result<Vec<Step>> {
    let at = |index| FieldPath::new("/steps").field(index);
    let steps = sent.iter().enumerate();
    steps
        .map(|(index, step)| Step::from_json(step).map_err(|error| at(index).invalid(error)))
        .collect()
}

/// Applies steps that were made for the present text, so each has to fit.
fn applied(steps: &[Step], doc: &Node) -> Result<(Vec<Step>, Node)> {
    let mut doc = doc.clone();
    for (index, step) in steps.iter().enumerate() {
        let at = || FieldPath::new("/steps").field(index);
        doc = step.apply(&doc).map_err(|error| at().invalid(error))?;
    }
    Ok((steps.to_vec(), doc))
}
