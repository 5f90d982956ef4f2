//! News of other nodes. Each node of a cluster writes which windows are connected to it, reads those
//! of the others, and tells its clients of suggestions that have changed on any node.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use bindery_model::{EditingSessionId, PageId, Result, Timestamp, UserId};
use bindery_store::editing::{SuggestionVersion, list_suggestion_versions};
use bindery_store::editing_windows::{self as rows, EditingWindow};
use bindery_store::{StoreError, Tx};
use tokio::time::sleep;

use super::content::EditedContent;
use super::follow::PageKey;
use super::presence::{Present, Selection};
use crate::{App, Context};

/// Time between two exchanges.
const INTERVAL: Duration = Duration::from_secs(1);
/// Time after which a window is written again, in milliseconds, so that it is known to be there.
const HEARTBEAT: i64 = 5_000;
/// Time after which a window that was not written again is gone, in milliseconds.
const EXPIRY: i64 = 15_000;

/// The windows that this node has written, by session and name.
type Written = HashMap<(EditingSessionId, String), EditingWindow>;

/// The versions of the sessions with suggestions, by page.
type Suggested = HashMap<PageKey, Vec<(EditingSessionId, i64)>>;

/// Exchanges windows until the server stops.
pub(super) async fn run(app: Arc<App>) {
    let node = format!("{:016x}", u64::from_be_bytes(app.entropy.bytes::<8>()));
    let mut written = Written::new();
    let mut suggested = Suggested::new();
    while !app.editing.follows.is_closed() {
        if let Err(error) = exchange(&app, &node, &mut written).await {
            tracing::warn!(%error, "the people of editing sessions cannot be exchanged");
        }
        if let Err(error) = tell_of_suggestions(&app, &mut suggested).await {
            tracing::warn!(%error, "clients cannot be told of suggestions of other nodes");
        }
        sleep(INTERVAL).await;
    }
    let gone: Vec<_> = written.into_keys().collect();
    let leave = move |tx: &Tx<'_>| delete(tx, &gone, &node);
    if let Err(error) = app.store.write(leave).await {
        tracing::debug!(%error, "windows are removed later");
    }
}

fn delete(
    tx: &Tx<'_>,
    windows: &[(EditingSessionId, String)],
    node: &str,
) -> Result<(), StoreError> {
    windows.iter().try_for_each(|(session, client)| rows::delete(tx, *session, client, node))
}

async fn exchange(app: &Arc<App>, node: &str, written: &mut Written) -> Result<(), StoreError> {
    let now = app.clock.now();
    let own = app.editing.follows.own_windows(node, now);
    let sessions = app.editing.follows.sessions();
    let gone: Vec<_> = written.keys().filter(|key| !own.contains_key(key)).cloned().collect();
    let is_due = |window: &EditingWindow| {
        let before = written.get(&(window.session, window.client.clone()));
        before.is_none_or(|before| {
            before.seen_at.plus_millis(HEARTBEAT) <= now
                || *before != EditingWindow { seen_at: before.seen_at, ..window.clone() }
        })
    };
    let changed: Vec<_> = own.values().filter(|window| is_due(window)).cloned().collect();
    if !changed.is_empty() || !gone.is_empty() {
        let (put, removed, node) = (changed.clone(), gone.clone(), node.to_owned());
        let write = move |tx: &Tx<'_>| {
            delete(tx, &removed, &node)?;
            rows::put(tx, &put)
        };
        app.store.write(write).await?;
        written.retain(|key, _| !gone.contains(key));
        written.extend(
            changed.into_iter().map(|window| ((window.session, window.client.clone()), window)),
        );
    }
    if sessions.is_empty() {
        return Ok(());
    }
    let (known, node) = (sessions.clone(), node.to_owned());
    let read = move |tx: &Tx<'_>| rows::list_of_others(tx, &known, &node, now.plus_millis(-EXPIRY));
    let mut others: HashMap<EditingSessionId, Vec<Present>> = HashMap::new();
    for (window, name) in app.store.read(read).await? {
        let EditingWindow { session, client, user, selected_version, anchor, head, .. } = window;
        let selection = match (selected_version, anchor, head) {
            (Some(version), Some(anchor), Some(head)) => Some(Selection { version, anchor, head }),
            _ => None,
        };
        others.entry(session).or_default().push(Present { client, user, name, selection });
    }
    app.editing.follows.set_others(&sessions, others);
    Ok(())
}

/// Tells the followers of pages whose suggestions have changed since the last time.
async fn tell_of_suggestions(app: &Arc<App>, before: &mut Suggested) -> Result<(), StoreError> {
    let followed = app.editing.follows.pages();
    let proposals: BTreeSet<_> = followed.iter().filter_map(|page| page.change_request).collect();
    if proposals.is_empty() {
        return Ok(());
    }
    let proposals: Vec<_> = proposals.into_iter().collect();
    let read = move |tx: &Tx<'_>| list_suggestion_versions(tx, &proposals);
    let mut now = Suggested::new();
    for suggested in app.store.read(read).await? {
        let SuggestionVersion { session, space, change_request, page, version } = suggested;
        now.entry(PageKey { space, change_request, page }).or_default().push((session, version));
    }
    let changed = followed.into_iter().filter(|page| before.get(page) != now.get(page));
    app.editing.follows.suggestions_changed(changed);
    *before = now;
    Ok(())
}

/// Returns the people who write pages of a content, with the pages, on all nodes.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_people(cx: &Context<'_>, content: &EditedContent) -> Result<Vec<(PageId, UserId)>> {
    let mut found: BTreeSet<(PageId, UserId)> =
        cx.app.editing.follows.people_of(content.key()).into_iter().collect();
    if cx.app.store.changes().is_none() {
        let (space, change_request) = content.key();
        for window in rows::list_in_space(cx.tx, space, cx.now().plus_millis(-EXPIRY))? {
            if window.change_request == change_request {
                found.insert((window.page, window.user));
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// Deletes the windows of nodes that ended without removing them. Returns their number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn remove_expired(tx: &Tx<'_>) -> Result<u64, StoreError> {
    rows::delete_expired(tx, tx.now().plus_millis(-EXPIRY))
}

/// Returns the row of a window.
pub(super) fn row_of(
    node: &str,
    now: Timestamp,
    (session, page): (EditingSessionId, super::follow::PageKey),
    present: Present,
) -> EditingWindow {
    let Present { client, user, name: _, selection } = present;
    let super::follow::PageKey { space, change_request, page } = page;
    EditingWindow {
        session,
        client,
        node: node.to_owned(),
        space,
        change_request,
        page,
        user,
        selected_version: selection.map(|selection| selection.version),
        anchor: selection.map(|selection| selection.anchor),
        head: selection.map(|selection| selection.head),
        seen_at: now,
    }
}
