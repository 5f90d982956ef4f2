//! Writes the texts of sessions into the content of their change requests.

use std::sync::Arc;

use bindery_model::{Error, ErrorKind, Result, RevisionId};
use bindery_store::change_requests as change_request_rows;
use bindery_store::editing::{self as rows, EditingSession};
use bindery_store::{StoreError, Tx, spaces};

use super::text::{Text, page_at, random_name};
use crate::access::Caller;
use crate::content::content_changes::{ContentChange, Metadata, NewDocument};
use crate::review::change_requests::{ChangeRequestTarget, change_content_as, reload};
use crate::{App, Context};

/// Time without a change after which a text is saved, in milliseconds.
const PAUSE: i64 = 2_000;
/// Maximum time that a change waits while more is written, in milliseconds.
const MAX_WAIT: i64 = 20_000;
/// Time for which the batches of a saved text are kept for clients that are behind, in
/// milliseconds.
const KEPT: i64 = 10 * 60_000;
/// Time without a change after which a session ends, in milliseconds.
const MAX_IDLE: i64 = 24 * 60 * 60_000;
/// Time after a failed attempt to save a text, in milliseconds.
const RETRY: i64 = 30_000;
/// Number of sessions that are saved in one round.
const AT_ONCE: u32 = 100;

/// Saves the text of a session. Returns the session and the revision that contains the text.
///
/// # Errors
/// Returns an error if the text cannot be saved, such as one that is too long. It stays in the
/// session.
pub fn save_session(
    cx: &Context<'_>,
    target: &ChangeRequestTarget,
    session: EditingSession,
) -> Result<(EditingSession, RevisionId)> {
    let mut text = Text::current(cx, target, session)?;
    if text.session.saved == text.session.version {
        return Ok((text.finish(cx)?, target.change_request.head));
    }
    let page = text.session.page;
    let missing = || Error::not_found("page");
    let (before, _) = page_at(cx, target, target.change_request.head, page)?.ok_or_else(missing)?;
    let data = before.json()?.get("data").cloned().unwrap_or_default();
    let document = text.doc.to_document(&data, &mut || random_name(cx));
    let change = ContentChange::UpdatePage {
        page,
        into: None,
        at: None,
        metadata: Metadata::default(),
        document: Some(NewDocument::Json(document)),
    };
    let authors = rows::authors_after(cx.tx, text.session.id, text.session.saved)?;
    let author = authors.last().copied().or_else(|| cx.user());
    let author = author.ok_or_else(|| Error::internal("a text without an author"))?;
    let (revision, _) = change_content_as(cx, target, author, vec![change])?;
    for other in authors.iter().filter(|other| **other != author) {
        let (id, kind) = (target.change_request.id, change_request_rows::Contribution::Edit);
        change_request_rows::record_contribution(cx.tx, id, *other, kind, cx.now())?;
    }
    let after = ChangeRequestTarget { change_request: reload(cx, target)?, ..target.clone() };
    let (written, _) = page_at(cx, &after, revision, page)?.ok_or_else(missing)?;
    let read = written.document()?;
    let is_same = read == text.doc;
    text.doc = if is_same { read } else { text.doc.with_sources(&read) };
    let base = if is_same { None } else { Some(text.doc.to_json().to_string()) };
    let session = &mut text.session;
    (session.base, session.base_revision, session.revision) = (base, revision, revision);
    (session.base_version, session.saved) = (session.version, session.version);
    session.unsaved_since = None;
    let (id, version) = (session.id, session.version);
    text.update(cx)?;
    rows::delete_batches(cx.tx, id, version, cx.now().plus_millis(-KEPT))?;
    Ok((text.session, revision))
}

/// Saves the texts of all sessions of a change request. Returns the change request with them.
///
/// # Errors
/// Returns an error if a text cannot be saved.
pub fn save_all(cx: &Context<'_>, target: &ChangeRequestTarget) -> Result<ChangeRequestTarget> {
    let mut target = target.clone();
    if !target.change_request.status.is_pending() {
        return Ok(target);
    }
    for session in rows::list_unsaved(cx.tx, target.change_request.id)? {
        save_session(cx, &target, session)?;
        target.change_request = reload(cx, &target)?;
    }
    Ok(target)
}

/// Saves the sessions of this store whose authors pause, or write for long.
///
/// # Errors
/// Returns an error if the store fails.
pub async fn save_due(app: &Arc<App>) -> Result<(), StoreError> {
    let due = app.store.read(|tx| {
        let now = tx.now();
        rows::list_due(tx, now.plus_millis(-PAUSE), now.plus_millis(-MAX_WAIT), AT_ONCE)
    });
    for session in due.await? {
        let save = |cx: &Context<'_>, target: &ChangeRequestTarget, session: EditingSession| {
            save_session(cx, target, session).map(drop)
        };
        change(Arc::clone(app), session, save).await;
    }
    Ok(())
}

/// Takes the present content of its change request into the text of a session.
pub(super) async fn take_in(app: Arc<App>, session: EditingSession) {
    let take_in = |cx: &Context<'_>, target: &ChangeRequestTarget, session: EditingSession| {
        Text::current(cx, target, session)?.finish(cx).map(drop)
    };
    change(app, session, take_in).await;
}

/// Changes a session in a transaction of its own, in nobody's name.
async fn change(
    app: Arc<App>,
    session: EditingSession,
    change: fn(&Context<'_>, &ChangeRequestTarget, EditingSession) -> Result<()>,
) {
    let EditingSession { id, space, change_request, .. } = session;
    let shared_app = Arc::clone(&app);
    let run = move |tx: &Tx<'_>| {
        let cx = Context { tx, app: &shared_app, caller: &Caller::Anonymous };
        let found = change_request_rows::get(tx, space, change_request)?;
        let Some((space, change_request)) = spaces::get(tx, space)?.zip(found) else {
            return Ok(());
        };
        let target = ChangeRequestTarget { space, change_request };
        let session = rows::get(tx, target.change_request.id, id)?;
        session.map_or(Ok(()), |session| change(&cx, &target, session))
    };
    let Err(error) = app.store.write_serialized(&space.to_string(), run).await else { return };
    tracing::warn!(%error, session = %id, %change_request, "a text cannot be saved");
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
