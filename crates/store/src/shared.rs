//! State that the engine and all transactions of a store share.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use bindery_model::{Clock, Entropy, Timestamp};
use tokio::sync::watch;

use crate::objects::{Cache, Storage};

/// State shared by the engine's threads and all handles of one store.
pub(crate) struct Shared {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<Entropy>,
    pub(crate) signals: Signals,
    pub(crate) cache: Cache,
    pub(crate) storage: Storage,
    pub(crate) stamps: Stamps,
}

/// Generates strictly increasing numbers based on the time, which preserve the order of one node's
/// rows within a millisecond.
#[derive(Default)]
pub(crate) struct Stamps(AtomicI64);

impl Stamps {
    /// Number of stamps per millisecond before they run ahead of the time.
    const PER_MILLI: i64 = 1 << 16;

    pub(crate) fn next(&self, now: Timestamp) -> i64 {
        let at_least = now.millis().saturating_mul(Self::PER_MILLI);
        let next = |last: i64| Some(at_least.max(last.saturating_add(1)));
        match self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next) {
            Ok(last) | Err(last) => at_least.max(last.saturating_add(1)),
        }
    }
}

/// Notifies readers in this process of commits.
pub(crate) struct Signals {
    changes: AtomicU64,
    changed: watch::Sender<u64>,
    enqueued: watch::Sender<u64>,
}

impl Signals {
    pub(crate) fn new() -> Self {
        Self {
            changes: AtomicU64::new(0),
            changed: watch::Sender::new(0),
            enqueued: watch::Sender::new(0),
        }
    }

    /// Announces a commit. Called after the commit and before its caller returns, so that the
    /// caller already sees the new number.
    pub(crate) fn committed(&self, wrote: bool, enqueued: bool) {
        if wrote {
            let count = self.changes.fetch_add(1, Ordering::AcqRel) + 1;
            self.changed.send_if_modified(|seen| {
                let newer = *seen < count;
                *seen = count.max(*seen);
                newer
            });
        }
        if enqueued {
            self.enqueued.send_modify(|count| *count += 1);
        }
    }

    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    pub(crate) fn watch_changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    pub(crate) fn watch_enqueued(&self) -> watch::Receiver<u64> {
        self.enqueued.subscribe()
    }
}
