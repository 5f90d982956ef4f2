//! Clients that follow sessions. One task per node reads the new batches of all followed sessions
//! and passes them on; it ends the connections of callers who lost their access.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use bindery_model::{
    ChangeRequestId, EditingSessionId, Error, PageId, Result, SpaceId, Timestamp, UserId,
};
use bindery_store::editing::{self as rows, EditingBatch, EditingSession};
use bindery_store::editing_windows::EditingWindow;
use bindery_store::{EventSummary, StoreError, Tx, last_position, sum_up_events};
use bytes::Bytes;
use tokio::sync::{Notify, broadcast, watch};
use tokio::time::{Instant, sleep, timeout};

use super::presence::{People, PeopleChange, Present, Selection};
use super::save::take_in;
use super::windows;
use crate::App;

/// Time between two looks for batches that other nodes accepted.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Time between two looks for changes of access, if only this process makes changes.
const ACCESS_INTERVAL: Duration = Duration::from_millis(250);
/// Maximum time between two checks of the access of all followers.
const MAX_ACCESS_AGE: Duration = Duration::from_secs(10);
/// Time in which batches are collected before they are passed on together.
const COLLECTION_TIME: Duration = Duration::from_millis(10);
/// Time without a message after which a follower gets an empty one, so that proxies keep the
/// connection open, and closed windows are noticed.
const IDLE_TIME: Duration = Duration::from_secs(4);
/// Maximum number of batches of a session that are read at once.
const MAX_PASSED: u32 = 100;
/// Number of messages that a slow follower may be behind.
const MAX_BEHIND: usize = 64;
/// Maximum number of connections of one user to sessions on one node.
const MAX_PER_USER: usize = 100;
/// Maximum number of connections to sessions on one node.
const MAX_FOLLOWERS: usize = 10_000;

/// A message to the followers of a session.
#[derive(Clone, Debug)]
pub enum Message {
    /// New batches.
    Batches(Arc<NewBatches>),
    /// Changes among the people of the session.
    People(Arc<PeopleChange>),
    /// The suggestions for the page of the session have changed.
    Suggestions,
    /// Nothing happened for a while.
    Idle,
    /// The connection ends; the client connects again if `again` is true.
    End {
        /// `true` if the server stops or the client is too slow, `false` if its access ended.
        again: bool,
    },
}

/// Batches of a session in their order.
#[derive(Debug)]
pub struct NewBatches {
    batches: Vec<EditingBatch>,
    text: OnceLock<Bytes>,
}

impl NewBatches {
    const fn new(batches: Vec<EditingBatch>) -> Self {
        Self { batches, text: OnceLock::new() }
    }

    /// Returns the text in which followers get the batches. `write` writes it for the first of them.
    pub fn text(&self, write: impl FnOnce(&[EditingBatch]) -> Bytes) -> Bytes {
        self.text.get_or_init(|| write(&self.batches)).clone()
    }
}

type AccessCheck = Arc<dyn Fn(&Tx<'_>) -> Result<()> + Send + Sync>;

/// The followed sessions of this node.
#[derive(Debug)]
pub struct Follows {
    hubs: Mutex<HashMap<EditingSessionId, Arc<Hub>>>,
    /// The pages whose suggestions have changed since they were told of.
    suggested: Mutex<HashSet<PageKey>>,
    users: Mutex<HashMap<UserId, usize>>,
    followers: AtomicUsize,
    has_started: AtomicBool,
    wake: Notify,
    closed: watch::Sender<bool>,
}

impl Default for Follows {
    fn default() -> Self {
        Self {
            hubs: Mutex::default(),
            suggested: Mutex::default(),
            users: Mutex::default(),
            followers: AtomicUsize::new(0),
            has_started: AtomicBool::new(false),
            wake: Notify::new(),
            closed: watch::Sender::new(false),
        }
    }
}

/// A page of a content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct PageKey {
    pub(super) space: SpaceId,
    pub(super) change_request: Option<ChangeRequestId>,
    pub(super) page: PageId,
}

impl From<&EditingSession> for PageKey {
    fn from(session: &EditingSession) -> Self {
        let EditingSession { space, change_request, page, .. } = *session;
        Self { space, change_request, page }
    }
}

/// The followers of one session on this node.
#[derive(Debug)]
struct Hub {
    page: PageKey,
    sender: broadcast::Sender<Message>,
    /// The version that was passed on last.
    version: AtomicI64,
    /// The version that a transaction of this process made last. It may not be committed yet.
    expected: AtomicI64,
    connections: Mutex<Vec<Weak<Connection>>>,
    people: People,
}

/// A person's window that follows a session.
#[derive(Clone, Debug)]
pub struct Window {
    /// The person.
    pub user: UserId,
    /// The name of the person.
    pub name: String,
    /// The name of the window; `None` for a connection that others do not see.
    pub client: Option<String>,
}

/// A connection of a follower.
struct Connection {
    check: AccessCheck,
    is_ended: AtomicBool,
    ended: Notify,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("is_ended", &self.is_ended).finish_non_exhaustive()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Follows {
    /// Records that a transaction of this process changed a session.
    pub(super) fn changed(&self, session: &EditingSession) {
        let hubs = locked(&self.hubs);
        if let Some(hub) = hubs.get(&session.id) {
            hub.expected.fetch_max(session.version, Ordering::AcqRel);
        }
        if session.suggested_by.is_some() && !hubs.is_empty() {
            locked(&self.suggested).insert(session.into());
        }
    }

    /// Ends all connections, because the server stops.
    pub fn close(&self) {
        self.closed.send_replace(true);
    }

    /// Starts to follow a session at its version. `check` is repeated while the client is connected,
    /// and the connection ends when it fails.
    ///
    /// # Errors
    /// Returns an error if there are too many connections.
    pub fn follow(
        app: &Arc<App>,
        session: &EditingSession,
        window: Window,
        check: AccessCheck,
    ) -> Result<Follower> {
        let follows = &app.editing.follows;
        let slot = Slot::take(app, window.user)?;
        let connection =
            Arc::new(Connection { check, is_ended: AtomicBool::new(false), ended: Notify::new() });
        let Window { user, name, client } = window;
        let (hub, receiver) = {
            let mut hubs = locked(&follows.hubs);
            let hub = hubs.entry(session.id).or_insert_with(|| Arc::new(Hub::new(session)));
            if client.as_ref().is_some_and(|client| !hub.people.enter(client, user, &name)) {
                return Err(Error::conflict("another user has this name: choose a random one"));
            }
            locked(&hub.connections).push(Arc::downgrade(&connection));
            (Arc::clone(hub), hub.sender.subscribe())
        };
        if !follows.has_started.swap(true, Ordering::AcqRel) {
            tokio::spawn(run(Arc::clone(app)));
            if app.store.changes().is_none() {
                tokio::spawn(windows::run(Arc::clone(app)));
            }
        }
        follows.wake.notify_one();
        let closed = follows.closed.subscribe();
        let people = Some(Arc::new(hub.people.all()));
        let version = session.version;
        Ok(Follower { hub, client, people, receiver, connection, closed, version, slot })
    }

    /// Shows others what a window of a session has selected. Does nothing if the user has no such
    /// window on this node.
    pub fn select(
        &self,
        session: EditingSessionId,
        (user, client): (UserId, &str),
        selection: Selection,
    ) {
        let hub = locked(&self.hubs).get(&session).cloned();
        if hub.is_some_and(|hub| hub.people.select(client, user, selection)) {
            self.wake.notify_one();
        }
    }

    /// Waits until the server stops.
    pub fn wait_for_close(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut closed = self.closed.subscribe();
        async move {
            // Without a sender, the server has stopped.
            let _stopped = closed.wait_for(|closed| *closed).await;
        }
    }

    /// Returns `true` if the server stops.
    pub(super) fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    fn hubs(&self) -> Vec<(EditingSessionId, Arc<Hub>)> {
        locked(&self.hubs).iter().map(|(id, hub)| (*id, Arc::clone(hub))).collect()
    }

    /// Returns the sessions that have followers on this node.
    pub(super) fn sessions(&self) -> Vec<EditingSessionId> {
        self.hubs().into_iter().map(|(id, _)| id).collect()
    }

    /// Returns the pages that have followers on this node.
    pub(super) fn pages(&self) -> HashSet<PageKey> {
        self.hubs().into_iter().map(|(_, hub)| hub.page).collect()
    }

    /// Records that the suggestions of pages have changed.
    pub(super) fn suggestions_changed(&self, pages: impl Iterator<Item = PageKey>) {
        let mut suggested = locked(&self.suggested);
        let before = suggested.len();
        suggested.extend(pages);
        if suggested.len() > before {
            self.wake.notify_one();
        }
    }

    /// Returns the windows that are connected to this node, as rows.
    pub(super) fn own_windows(
        &self,
        node: &str,
        now: Timestamp,
    ) -> HashMap<(EditingSessionId, String), EditingWindow> {
        let mut found = HashMap::new();
        for (id, hub) in self.hubs() {
            for present in hub.people.own() {
                let row = windows::row_of(node, now, (id, hub.page), present);
                found.insert((id, row.client.clone()), row);
            }
        }
        found
    }

    /// Takes over the windows of sessions that are connected to other nodes.
    pub(super) fn set_others(
        &self,
        sessions: &[EditingSessionId],
        mut others: HashMap<EditingSessionId, Vec<Present>>,
    ) {
        let mut has_changed = false;
        for (id, hub) in self.hubs() {
            if sessions.contains(&id) {
                has_changed |= hub.people.set_others(others.remove(&id).unwrap_or_default());
            }
        }
        if has_changed {
            self.wake.notify_one();
        }
    }

    /// Returns the people who are connected to this node and write pages of a content.
    pub(super) fn people_of(
        &self,
        content: (SpaceId, Option<ChangeRequestId>),
    ) -> Vec<(PageId, UserId)> {
        let hubs = self.hubs().into_iter();
        let hubs = hubs.filter(|(_, hub)| (hub.page.space, hub.page.change_request) == content);
        let people = |(_, hub): (_, Arc<Hub>)| {
            let page = hub.page.page;
            hub.people.own().into_iter().map(move |present| (page, present.user))
        };
        hubs.flat_map(people).collect()
    }
}

impl Hub {
    fn new(session: &EditingSession) -> Self {
        let version = session.version;
        Self {
            page: session.into(),
            sender: broadcast::Sender::new(MAX_BEHIND),
            version: AtomicI64::new(version),
            expected: AtomicI64::new(version),
            connections: Mutex::default(),
            people: People::default(),
        }
    }

    fn connections(&self) -> Vec<Arc<Connection>> {
        let mut connections = locked(&self.connections);
        connections.retain(|connection| connection.strong_count() > 0);
        connections.iter().filter_map(Weak::upgrade).collect()
    }
}

/// The place of a connection in the limits; dropping the value releases it.
struct Slot {
    app: Arc<App>,
    user: UserId,
}

impl Slot {
    fn take(app: &Arc<App>, user: UserId) -> Result<Self> {
        let follows = &app.editing.follows;
        let mut users = locked(&follows.users);
        let count = users.entry(user).or_default();
        if *count >= MAX_PER_USER {
            return Err(Error::rate_limited(format!(
                "found {MAX_PER_USER} open connections of this user to editing sessions, allowed: \
                 up to that number"
            )));
        }
        if follows.followers.load(Ordering::Relaxed) >= MAX_FOLLOWERS {
            return Err(Error::unavailable("too many connections to editing sessions; try again"));
        }
        *count += 1;
        follows.followers.fetch_add(1, Ordering::Relaxed);
        drop(users);
        Ok(Self { app: Arc::clone(app), user })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let follows = &self.app.editing.follows;
        let mut users = locked(&follows.users);
        if let Some(count) = users.get_mut(&self.user) {
            *count -= 1;
            if *count == 0 {
                users.remove(&self.user);
            }
        }
        follows.followers.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A client that follows a session.
pub struct Follower {
    hub: Arc<Hub>,
    client: Option<String>,
    /// Everybody who was there when the client came, until it knows them.
    people: Option<Arc<PeopleChange>>,
    receiver: broadcast::Receiver<Message>,
    connection: Arc<Connection>,
    closed: watch::Receiver<bool>,
    /// The version that the client has.
    version: i64,
    slot: Slot,
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Follower").field("version", &self.version).finish_non_exhaustive()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        if let Some(client) = &self.client {
            self.hub.people.leave(client);
            self.slot.app.editing.follows.wake.notify_one();
        }
    }
}

impl Follower {
    /// Records that the client has the text of a version.
    pub fn has(&mut self, version: i64) {
        self.version = self.version.max(version);
    }

    /// Waits for the next message.
    pub async fn next(&mut self) -> Message {
        if let Some(people) = self.people.take().filter(|people| !people.is_empty()) {
            return Message::People(people);
        }
        loop {
            if *self.closed.borrow() {
                return Message::End { again: true };
            }
            if self.connection.is_ended.load(Ordering::Acquire) {
                return Message::End { again: false };
            }
            let received = tokio::select! {
                received = timeout(IDLE_TIME, self.receiver.recv()) => received,
                () = self.connection.ended.notified() => continue,
                _ = self.closed.changed() => continue,
            };
            match received {
                Err(_) => return Message::Idle,
                Ok(Err(_)) => return Message::End { again: true },
                Ok(Ok(Message::Batches(batches))) => {
                    if let Some(message) = self.unknown(batches) {
                        return message;
                    }
                }
                Ok(Ok(message)) => return message,
            }
        }
    }

    /// Returns the batches that the client does not have.
    fn unknown(&mut self, new: Arc<NewBatches>) -> Option<Message> {
        let first = new.batches.first()?.version;
        let last = new.batches.last()?.version;
        if last <= self.version {
            return None;
        }
        if first > self.version + 1 {
            return Some(Message::End { again: true });
        }
        let known = self.version;
        self.version = last;
        if first == known + 1 {
            return Some(Message::Batches(new));
        }
        let rest = new.batches.iter().filter(|batch| batch.version > known).cloned().collect();
        Some(Message::Batches(Arc::new(NewBatches::new(rest))))
    }
}

/// A followed session in one round.
struct Followed {
    id: EditingSessionId,
    hub: Arc<Hub>,
}

/// Passes new batches on until the server stops.
async fn run(app: Arc<App>) {
    let follows = &app.editing.follows;
    let is_shared = app.store.changes().is_none();
    let interval = if is_shared { POLL_INTERVAL } else { ACCESS_INTERVAL };
    let mut closed = follows.closed.subscribe();
    let mut changes = app.store.watch_changes();
    let mut access = Access { position: None, checked: Instant::now() };
    while !*closed.borrow_and_update() {
        let followed = followed(follows);
        if followed.is_empty() {
            tokio::select! {
                () = follows.wake.notified() => {}
                _ = closed.changed() => {}
            }
            continue;
        }
        if let Err(error) = round(&app, followed, is_shared, &mut access).await {
            tracing::warn!(%error, "steps cannot be passed on");
        }
        sleep(COLLECTION_TIME).await;
        tokio::select! {
            _ = timeout(interval, changes.changed()) => {}
            () = follows.wake.notified() => {}
            _ = closed.changed() => {}
        }
    }
}

/// Returns the sessions that have followers, and forgets the others.
fn followed(follows: &Follows) -> Vec<Followed> {
    let mut hubs = locked(&follows.hubs);
    hubs.retain(|_, hub| hub.sender.receiver_count() > 0);
    hubs.iter().map(|(id, hub)| Followed { id: *id, hub: Arc::clone(hub) }).collect()
}

/// The state of the store when the access of the followers was checked last.
struct Access {
    position: Option<i64>,
    checked: Instant,
}

/// Reads what is new, checks access if it may have changed, and passes the batches on.
async fn round(
    app: &Arc<App>,
    followed: Vec<Followed>,
    is_shared: bool,
    access: &mut Access,
) -> Result<(), StoreError> {
    for Followed { hub, .. } in &followed {
        let people = hub.people.take_changes();
        if !people.is_empty() {
            // Nobody receives it if the last follower has just left.
            let _unheard = hub.sender.send(Message::People(Arc::new(people)));
        }
    }
    let suggested = std::mem::take(&mut *locked(&app.editing.follows.suggested));
    let known = access.position.filter(|_| access.checked.elapsed() < MAX_ACCESS_AGE);
    let hubs: Vec<_> = followed.iter().map(|followed| Arc::clone(&followed.hub)).collect();
    let read = move |tx: &Tx<'_>| {
        let summary = match known {
            Some(position) => sum_up_events(tx, position)?,
            None => {
                let position = last_position(tx)?;
                EventSummary { position, changed_access: true, changed_content: true }
            }
        };
        if summary.changed_access {
            for connection in followed.iter().flat_map(|followed| followed.hub.connections()) {
                if (connection.check)(tx).is_err() {
                    connection.is_ended.store(true, Ordering::Release);
                    connection.ended.notify_one();
                }
            }
        }
        let mut news = Vec::new();
        for Followed { id, hub } in &followed {
            let version = hub.version.load(Ordering::Acquire);
            if is_shared || hub.expected.load(Ordering::Acquire) > version {
                let batches = rows::list_batches(tx, *id, version, MAX_PASSED)?;
                if !batches.is_empty() {
                    news.push((Arc::clone(hub), batches));
                }
            }
        }
        let ids: Vec<_> = followed.iter().map(|followed| followed.id).collect();
        let behind =
            if summary.changed_content { rows::list_behind(tx, &ids)? } else { Vec::new() };
        Ok::<_, StoreError>((summary, news, behind))
    };
    let (summary, news, behind) = app.store.read(read).await?;
    access.position = Some(summary.position);
    if summary.changed_access {
        access.checked = Instant::now();
    }
    for session in behind {
        tokio::spawn(take_in(Arc::clone(app), session));
    }
    for (hub, batches) in news {
        if let Some(last) = batches.last() {
            hub.version.store(last.version, Ordering::Release);
        }
        // Nobody receives it if the last follower has just left.
        let _unheard = hub.sender.send(Message::Batches(Arc::new(NewBatches::new(batches))));
    }
    for hub in hubs.iter().filter(|hub| suggested.contains(&hub.page)) {
        let _unheard = hub.sender.send(Message::Suggestions);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_written_once_for_all_followers() {
        let new = NewBatches::new(Vec::new());
        let mut written = 0;
        for _ in 0..3 {
            let text = new.text(|_| {
                written += 1;
                Bytes::from_static(b"data")
            });
            assert_eq!(text, "data");
        }
        assert_eq!(written, 1);
    }
}
