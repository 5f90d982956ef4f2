//! Keeps the index of this node in accordance with the store.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use bindery_model::SpaceId;
use bindery_outbound::CancellationToken;
use bindery_search::{SearchError, SearchIndex};
use bindery_store::{Event, Store, last_position, spaces};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::pages::{self, IndexedSpace, IndexingError, SpaceChanges, Updated};
use crate::App;
use crate::jobs::wait_for_stop;
use crate::own_thread::{NoResult, in_own_thread};

/// Time between two looks for changes of other nodes.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Time in which changes are collected before they are indexed together.
const COLLECTION_TIME: Duration = Duration::from_millis(50);
/// Time after a failure before the next attempt.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);
/// Bytes of the changes of spaces from which they are written to the index.
const MAX_PENDING: usize = 4 << 20;
/// Number of events that are read at once.
const EVENTS_AT_ONCE: u32 = 1_000;

/// The reason why the index does not follow the store.
#[derive(Debug, thiserror::Error)]
enum FollowError {
    #[error(transparent)]
    Indexing(#[from] IndexingError),
    #[error(transparent)]
    Store(#[from] bindery_store::StoreError),
    #[error(transparent)]
    Thread(#[from] NoResult),
}

impl FollowError {
    const fn is_damage(&self) -> bool {
        matches!(self, Self::Indexing(IndexingError::Index(SearchError::Damaged(_))))
    }

    /// Returns `true` if the cause may be damaged files, which writing reads, too.
    const fn may_be_damage(&self) -> bool {
        matches!(
            self,
            Self::Indexing(IndexingError::Index(_) | IndexingError::Panicked(_))
                | Self::Thread(NoResult::Panicked(_))
        )
    }
}

/// Opens the index of this node and keeps it in accordance with the store until `stop` becomes true.
///
/// All spaces are compared once, and then those that the events name. A damaged index is emptied
/// and built anew; what was found in it stays readable meanwhile.
pub(crate) async fn follow(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    let cancel = CancellationToken::new();
    let work = run(&app, &cancel);
    tokio::pin!(work);
    tokio::select! {
        () = &mut work => {}
        () = wait_for_stop(&mut stop) => {
            cancel.cancel();
            work.await;
        }
    }
}

async fn run(app: &Arc<App>, stop: &CancellationToken) {
    let mut changes = app.store.watch_changes();
    let mut position = None;
    let mut is_damaged = false;
    let mut has_failed = false;
    let mut verification: Option<JoinHandle<bool>> = None;
    while !stop.is_cancelled() {
        changes.mark_unchanged();
        if verification.as_ref().is_none_or(JoinHandle::is_finished) && app.search.take_suspicion()
        {
            let app = Arc::clone(app);
            verification = Some(tokio::task::spawn_blocking(move || app.search.verify()));
        }
        is_damaged |= app.search.take_damage();
        let delay =
            match step(app, if is_damaged { None } else { position }, is_damaged, stop).await {
                Ok(next) => {
                    (position, is_damaged, has_failed) = (Some(next), false, false);
                    POLL_INTERVAL
                }
                Err(_) if stop.is_cancelled() => return,
                Err(error) => {
                    tracing::warn!(%error, "the search index cannot be updated");
                    let was_damaged = is_damaged;
                    is_damaged |= error.is_damage();
                    // What was read of the events is not repeated, so all spaces are compared.
                    position = None;
                    // The files are verified once and not at each attempt, for a full disk stays
                    // full for a while.
                    if error.may_be_damage() && !std::mem::replace(&mut has_failed, true) {
                        let app = Arc::clone(app);
                        let verified = tokio::task::spawn_blocking(move || app.search.verify());
                        is_damaged |= verified.await.unwrap_or(false);
                    }
                    if is_damaged && !was_damaged { POLL_INTERVAL } else { RETRY_INTERVAL }
                }
            };
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(delay) => {}
            _ = changes.changed(), if position.is_some() => {
                tokio::time::sleep(COLLECTION_TIME).await;
            }
        }
    }
}

/// Updates the spaces that have changed since `position`, or all that differ. Returns the position
/// up to which the index follows the events.
async fn step(
    app: &Arc<App>,
    position: Option<i64>,
    reset: bool,
    stop: &CancellationToken,
) -> Result<i64, FollowError> {
    let (changed, next) = match position {
        None => (None, app.store.read(last_position).await?),
        Some(position) => {
            let (changed, next) = changed_since(&app.store, position).await?;
            (Some(changed), next)
        }
    };
    if changed.as_ref().is_some_and(Changed::is_empty) {
        return Ok(next);
    }
    let (app, stop) = (Arc::clone(app), stop.clone());
    in_own_thread("search-index", move || update(&app, changed, reset, &stop)).await??;
    Ok(next)
}

/// Changes of spaces and specifications since the last update of the index.
#[derive(Default)]
struct Changed {
    /// The spaces whose content, language or existence has changed.
    spaces: BTreeSet<SpaceId>,
    /// `true` if an OpenAPI specification has changed.
    specs: bool,
}

impl Changed {
    fn is_empty(&self) -> bool {
        self.spaces.is_empty() && !self.specs
    }
}

/// Returns the changes since a position.
async fn changed_since(store: &Store, mut position: i64) -> Result<(Changed, i64), FollowError> {
    let mut changed = Changed::default();
    loop {
        let events = store.events_after(position, EVENTS_AT_ONCE).await?;
        let is_last = events.len() < EVENTS_AT_ONCE as usize;
        for event in events {
            position = event.position;
            changed.specs |= is_of_spec(&event.event);
            changed.spaces.extend(event.space.filter(|_| is_relevant(&event.event)));
        }
        if is_last {
            return Ok((changed, position));
        }
    }
}

const fn is_relevant(event: &Event) -> bool {
    matches!(
        event,
        Event::RevisionCreated { .. }
            | Event::ComputedPagesUpdated
            | Event::SpaceCreated { .. }
            | Event::SpaceUpdated { .. }
            | Event::SpaceDuplicated { .. }
            | Event::SpaceDeleted
            | Event::SpaceRestored
            | Event::SpaceRemoved
    )
}

const fn is_of_spec(event: &Event) -> bool {
    matches!(event, Event::OpenApiCurrentVersionChanged { .. } | Event::OpenApiSpecDeleted { .. })
}

/// Updates the spaces with changes, or all that differ. A space that cannot be indexed does not keep others
/// from being updated.
fn update(
    app: &App,
    changed: Option<Changed>,
    reset: bool,
    stop: &CancellationToken,
) -> Result<(), FollowError> {
    let index = app.search.open(&app.cache_dir).map_err(IndexingError::from)?;
    if reset {
        tracing::warn!("the search index is damaged and built anew");
        index.reset().map_err(IndexingError::from)?;
    }
    let changed = match changed {
        Some(Changed { mut spaces, specs }) => {
            if specs {
                spaces.extend(dependent_on_specs(index));
            }
            spaces
        }
        None => differing(app, index)?,
    };
    let mut failed = None;
    let mut pending = Pending { index, changes: Vec::new(), bytes: 0 };
    for space in changed {
        let updated =
            catch_unwind(AssertUnwindSafe(|| pages::update(&app.store, index, space, stop)));
        match updated {
            Ok(Ok(Updated::Done)) => {}
            Ok(Ok(Updated::Few(changes))) => pending.push(changes)?,
            Ok(Err(error @ IndexingError::Content(..))) => failed = Some(error),
            Ok(Err(error)) => return Err(error.into()),
            // The cause is a page, or a damaged file.
            Err(_) => failed = Some(IndexingError::Panicked(space)),
        }
    }
    pending.commit()?;
    failed.map_or(Ok(()), |error| Err(error.into()))
}

/// The changes of spaces that become visible with one commit, because each commit takes some
/// milliseconds.
struct Pending<'i> {
    index: &'i SearchIndex,
    changes: Vec<SpaceChanges>,
    bytes: usize,
}

impl Pending<'_> {
    fn push(&mut self, changes: SpaceChanges) -> Result<(), IndexingError> {
        self.bytes += changes.bytes;
        self.changes.push(changes);
        if self.bytes > MAX_PENDING { self.commit() } else { Ok(()) }
    }

    fn commit(&mut self) -> Result<(), IndexingError> {
        self.bytes = 0;
        if self.changes.is_empty() {
            return Ok(());
        }
        let mut batch = self.index.batch()?;
        for mut changes in self.changes.drain(..) {
            changes.write(&mut batch)?;
        }
        Ok(batch.commit()?)
    }
}

/// Returns the spaces whose state in the index differs from the store.
fn differing(app: &App, index: &SearchIndex) -> Result<BTreeSet<SpaceId>, FollowError> {
    let heads = app.store.read_sync(spaces::list_heads)?;
    let snapshot = index.snapshot();
    let mut differing: BTreeSet<SpaceId> = snapshot.payloads().map(|(space, _)| space).collect();
    for head in heads {
        let known = snapshot.payload(head.id).and_then(IndexedSpace::decode);
        let is_current = known
            .filter(|known| !known.depends_on_specs())
            .is_some_and(|known| (known.revision, known.language) == (head.head, head.language));
        if is_current {
            differing.remove(&head.id);
        } else {
            differing.insert(head.id);
        }
    }
    Ok(differing)
}

/// Returns the spaces with computed pages or with operations of specifications.
fn dependent_on_specs(index: &SearchIndex) -> Vec<SpaceId> {
    let snapshot = index.snapshot();
    let payloads = snapshot.payloads();
    let shown = payloads.filter(|(_, payload)| {
        IndexedSpace::decode(payload).is_some_and(|state| state.depends_on_specs())
    });
    shown.map(|(space, _)| space).collect()
}
