//! Writes the texts of sessions into their contents.

use std::sync::Arc;

use bindery_model::{Error, ErrorKind, PageId, Result, RevisionId};
use bindery_steps::Node;
use bindery_store::editing::{self as rows, EditingSession, SaveTimes};
use bindery_store::{StoreError, Tx};

use super::content::EditedContent;
use super::text::{self, PageAt, Text, page_at, random_name};
use crate::access::Caller;
use crate::content::content_changes::{ContentChange, Metadata, NewDocument};
use crate::review::change_requests::ChangeRequestTarget;
use crate::{App, Context};

/// Time without a change after which a text is saved, in milliseconds.
const PAUSE: i64 = 2_000;
/// Maximum time that a change waits while more is written, in milliseconds.
const MAX_WAIT: i64 = 20_000;
/// Time without a change after which a text of the main content is saved, in milliseconds. Readers
/// see it then, and the history has one revision for the work of a while.
const MAIN_PAUSE: i64 = 30_000;
/// Maximum time that a change of the main content waits while more is written, in milliseconds.
const MAIN_MAX_WAIT: i64 = 30 * 60_000;
/// Time for which the batches of a saved text are kept for clients that are behind, in
/// milliseconds.
pub(super) const KEPT: i64 = 10 * 60_000;
/// Time without a change after which a session ends, in milliseconds.
const MAX_IDLE: i64 = 24 * 60 * 60_000;
/// Time after a failed attempt to save a text, in milliseconds.
const RETRY: i64 = 30_000;
/// Number of sessions that are saved in one round.
const AT_ONCE: u32 = 100;

/// Saves the text of a session. Returns the session and the revision that contains the text.
/// Suggestions are stored, but no revision contains them.
///
/// # Errors
/// Returns an error if the text cannot be saved, such as one that is too long. It stays in the
/// session.
pub fn save_session(
    cx: &Context<'_>,
    content: &EditedContent,
    session: EditingSession,
) -> Result<(EditingSession, RevisionId)> {
    let mut text = Text::current(cx, content, session)?;
    let page = text.session.page;
    let missing = || Error::not_found("page");
    let revision = match (text.session.suggested_by, text.session.saved == text.session.version) {
        (None, true) => return Ok((text.finish(cx)?, content.head())),
        (Some(_), _) => content.head(),
        (None, false) => {
            let found = page_at(cx, content, content.head(), page)?;
            let (before, of_head) = found.ok_or_else(missing)?;
            let mut authors = rows::authors_after(cx.tx, text.session.id, text.session.saved)?;
            if authors.is_empty() {
                // Only the merge with a change from outside is new.
                let last = cx.user().or(of_head).map_or_else(
                    || rows::last_author(cx.tx, text.session.id),
                    |user| Ok(Some(user)),
                );
                authors.extend(last?);
            }
            let change = page_change(cx, (page, &before, &text.doc))?;
            content.change_as_typed(cx, &authors, vec![change])?
        }
    };
    let after = content.reload(cx.tx)?;
    let (written, _) = page_at(cx, &after, revision, page)?.ok_or_else(missing)?;
    let read = written.document()?;
    let is_same = read == text.doc;
    let session = &mut text.session;
    if session.suggested_by.is_some() {
        session.open_suggestions =
            i64::try_from(read.differences(&text.doc).len()).unwrap_or(i64::MAX);
    } else {
        text.doc = if is_same { read } else { text.doc.with_sources(&read) };
    }
    session.base = if is_same { None } else { Some(text::to_json(&text.doc)?) };
    (session.base_revision, session.revision) = (revision, revision);
    (session.base_version, session.saved) = (session.version, session.version);
    session.unsaved_since = None;
    let (id, version) = (session.id, session.version);
    text.update(cx)?;
    rows::delete_batches(cx.tx, id, version, cx.now().plus_millis(-KEPT))?;
    Ok((text.session, revision))
}

/// Returns the change that replaces the text of a page by a document.
pub(super) fn page_change(
    cx: &Context<'_>,
    (page, before, document): (PageId, &PageAt, &Node),
) -> Result<ContentChange> {
    let data = before.json()?.get("data").cloned().unwrap_or_default();
    let document = document.to_document(&data, &mut || random_name(cx));
    Ok(ContentChange::UpdatePage {
        page,
        into: None,
        at: None,
        metadata: Metadata::default(),
        document: Some(NewDocument::Json(document)),
    })
}

/// Saves the texts of all sessions of a content. Returns the content with them.
///
/// # Errors
/// Returns an error if a text cannot be saved.
pub fn save_all(cx: &Context<'_>, content: &EditedContent) -> Result<EditedContent> {
    let mut content = content.clone();
    if content.require_editable().is_err() {
        return Ok(content);
    }
    for session in rows::list_unsaved(cx.tx, content.key())? {
        save_session(cx, &content, session)?;
        content = content.reload(cx.tx)?;
    }
    Ok(content)
}

/// Saves the texts of all sessions of a change request. Returns the change request with them.
///
/// # Errors
/// Returns an error if a text cannot be saved.
pub fn save_target(cx: &Context<'_>, target: &ChangeRequestTarget) -> Result<ChangeRequestTarget> {
    let EditedContent { space, change_request } = save_all(cx, &target.into())?;
    let change_request = change_request.unwrap_or_else(|| target.change_request.clone());
    Ok(ChangeRequestTarget { space, change_request })
}

/// Saves the sessions of this store whose authors pause, or write for long.
///
/// # Errors
/// Returns an error if the store fails.
pub async fn save_due(app: &Arc<App>) -> Result<(), StoreError> {
    let due = app.store.read(|tx| {
        let since = |millis: i64| tx.now().plus_millis(-millis);
        let change_requests =
            SaveTimes { idle_since: since(PAUSE), unsaved_since: since(MAX_WAIT) };
        let main = SaveTimes { idle_since: since(MAIN_PAUSE), unsaved_since: since(MAIN_MAX_WAIT) };
        rows::list_due(tx, change_requests, main, AT_ONCE)
    });
    for session in due.await? {
        let save = |cx: &Context<'_>, content: &EditedContent, session: EditingSession| {
            save_session(cx, content, session).map(drop)
        };
        change(Arc::clone(app), session, save).await;
    }
    Ok(())
}

/// Takes the present content into the text of a session.
pub(super) async fn take_in(app: Arc<App>, session: EditingSession) {
    let take_in = |cx: &Context<'_>, content: &EditedContent, session: EditingSession| {
        Text::current(cx, content, session)?.finish(cx).map(drop)
    };
    change(app, session, take_in).await;
}

/// Changes a session in a transaction of its own, in nobody's name.
async fn change(
    app: Arc<App>,
    session: EditingSession,
    change: fn(&Context<'_>, &EditedContent, EditingSession) -> Result<()>,
) {
    let (id, space) = (session.id, session.space);
    let shared_app = Arc::clone(&app);
    let run = move |tx: &Tx<'_>| {
        let cx = Context { tx, app: &shared_app, caller: &Caller::Anonymous };
        let Some(content) = EditedContent::of_session(tx, &session)? else { return Ok(()) };
        let session = rows::get(tx, space, id)?;
        session.map_or(Ok(()), |session| change(&cx, &content, session))
    };
    let Err(error) = app.store.write_serialized(&space.to_string(), run).await else { return };
    // Another node changes the text, and the next round saves it.
    if error.kind() == ErrorKind::Unavailable {
        return;
    }
    tracing::warn!(%error, session = %id, "a text cannot be saved");
    // The text of a page that is gone waits for the page.
    let is_gone = error.kind() == ErrorKind::NotFound;
    let postpone = move |tx: &Tx<'_>| {
        let until = (!is_gone).then(|| tx.now().plus_millis(RETRY));
        rows::postpone(tx, id, until)
    };
    if let Err(error) = app.store.write(postpone).await {
        tracing::warn!(%error, session = %id, "a session cannot be changed");
    }
}

/// Removes sessions that ended long ago. Returns their number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn remove_idle(tx: &Tx<'_>) -> Result<u64, StoreError> {
    rows::delete_idle(tx, tx.now().plus_millis(-MAX_IDLE))
}
