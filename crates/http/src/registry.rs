//! All connections of the listener: their number, in total and per address, and their transfer
//! rate. When there are too many, the least active one is closed.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::limits::ListenLimits;
use crate::meter::{Meter, min_window_bytes};
use crate::metrics::ConnectionMetrics;
use crate::progress::{CloseReason, Progress, Waiting};
use crate::proxies::TrustedProxies;

/// Bytes per tick that count as progress when connection slots are scarce.
const PROGRESS_BYTES: u64 = 4 << 10;
/// Ticks without progress after which a connection counts as stuck.
const STUCK_TICKS: u32 = 3;
/// Ticks without progress during which a signed-in caller's connection is not evicted.
const SIGNED_IN_TICKS: u32 = 15;
/// Divisor of the limit: the number of stuck connections that are evicted at once.
const EVICTION_DIVISOR: usize = 64;
/// Ticks within which a handler must answer after its read of a slow body failed.
const SLOW_BODY_TICKS: u32 = 5;

/// All open connections.
#[derive(Debug)]
pub(crate) struct Registry {
    limits: ListenLimits,
    proxies: TrustedProxies,
    metrics: Arc<ConnectionMetrics>,
    inner: Mutex<Inner>,
    /// Total size in bytes of unfinished long heads.
    long_heads: AtomicU64,
    ended: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    next: u64,
    entries: HashMap<u64, Entry>,
    /// Number of connections per address block, without those that are being closed.
    blocks: HashMap<u128, usize>,
    closing: usize,
}

#[derive(Debug)]
struct Entry {
    progress: Arc<Progress>,
    /// `None` for a trusted proxy, which serves many clients.
    block: Option<u128>,
    meter: Meter,
    last_bytes: u64,
    last_moved: u64,
    last_begun: u64,
    /// Ticks without progress.
    idle_ticks: u32,
    slow_body_ticks: u32,
    is_closing: bool,
}

/// The slot of an open connection; dropping the value releases it.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    registry: Arc<Registry>,
    id: u64,
    progress: Arc<Progress>,
    is_spare: bool,
}

/// Returns the address block of a client: for IPv6 the /64 network, the smallest that a subscriber
/// is assigned.
fn block(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits() & (!0 << 64),
    }
}

impl Registry {
    pub(crate) fn new(
        limits: ListenLimits,
        proxies: TrustedProxies,
        metrics: Arc<ConnectionMetrics>,
    ) -> Arc<Self> {
        Arc::new(Self {
            limits,
            proxies,
            metrics,
            inner: Mutex::default(),
            long_heads: AtomicU64::new(0),
            ended: Notify::new(),
        })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) const fn limits(&self) -> &ListenLimits {
        &self.limits
    }

    /// Assigns a slot to a new connection, and may close other connections in its favour; `None` if
    /// no room can be made.
    pub(crate) fn admit(self: &Arc<Self>, peer: IpAddr) -> Option<ConnectionSlot> {
        let block = (!self.proxies.trusts(peer.to_canonical())).then(|| block(peer));
        let mut inner = self.inner();
        let most = self.limits.connections;
        // Slots beyond the limits are reserved for urgent requests, for a short time.
        let (spare, mut is_spare) = (self.limits.spare(), false);
        if let Some(block) = block {
            let of_address = self.limits.connections_per_address;
            let count = inner.blocks.get(&block).copied().unwrap_or(0);
            is_spare = count >= of_address && inner.evict(Some(block), of_address) == 0;
            if count >= of_address + spare {
                self.metrics.refused();
                return None;
            }
        }
        if inner.open() >= most {
            let busiest_block = inner.busiest_block();
            if inner.evict(busiest_block, most) == 0 && busiest_block.is_some() {
                inner.evict(None, most);
            }
        }
        is_spare |= inner.open() >= most;
        if inner.entries.len() >= most + spare {
            self.metrics.refused();
            return None;
        }
        let id = inner.next;
        inner.next += 1;
        let progress = Arc::new(Progress::default());
        let entry = Entry {
            progress: Arc::clone(&progress),
            block,
            meter: Meter::default(),
            last_bytes: 0,
            last_moved: 0,
            last_begun: 0,
            idle_ticks: 0,
            slow_body_ticks: 0,
            is_closing: false,
        };
        inner.entries.insert(id, entry);
        if let Some(block) = block {
            *inner.blocks.entry(block).or_default() += 1;
        }
        drop(inner);
        self.metrics.opened();
        Some(ConnectionSlot { registry: Arc::clone(self), id, progress, is_spare })
    }

    /// Waits while connections that are being closed occupy all slots beyond the limit.
    pub(crate) async fn wait_for_room(&self) {
        loop {
            let ended = self.ended.notified();
            {
                let inner = self.inner();
                let most = self.limits.connections + self.limits.spare();
                if inner.entries.len() < most || inner.closing == 0 {
                    return;
                }
            }
            ended.await;
        }
    }

    /// Closes some connections, as the process has no file descriptors left. Waits until one has
    /// ended.
    pub(crate) async fn make_room(&self, patience: Duration) {
        let ended = self.ended.notified();
        {
            let mut inner = self.inner();
            let busiest_block = inner.busiest_block();
            if inner.closing == 0 && inner.evict(busiest_block, self.limits.connections) == 0 {
                inner.evict(None, self.limits.connections);
            }
        }
        let _too_long = tokio::time::timeout(patience, ended).await;
    }

    /// Checks all connections once per tick, until the future is dropped.
    pub(crate) async fn watch(self: Arc<Self>) {
        let tick = self.limits.tick();
        let mut ticks = tokio::time::interval(tick);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.sweep(tick);
        }
    }

    fn sweep(&self, tick: Duration) {
        let min_window_bytes = min_window_bytes(self.limits.transfer_rate, tick);
        let mut inner = self.inner();
        let mut unread = Vec::new();
        for (id, entry) in inner.entries.iter_mut().filter(|(_, entry)| !entry.is_closing) {
            let waiting = entry.tick();
            let too_slow =
                entry.window_bytes(waiting).is_some_and(|bytes| bytes < min_window_bytes);
            if entry.should_close(waiting, too_slow) {
                unread.push((*id, CloseReason::SlowTransfer, 0));
            } else if waiting == Waiting::ForReader && entry.idle_ticks >= STUCK_TICKS {
                unread.push((*id, CloseReason::UnreadAnswer, entry.progress.held()));
            }
        }
        // Closes the largest first, until the rest is within the limit.
        unread.sort_unstable_by_key(|(id, _, held)| (Reverse(*held), *id));
        let mut held: u64 = unread.iter().map(|(.., held)| held).sum();
        for (id, reason, bytes) in unread {
            if reason == CloseReason::SlowTransfer || held > self.limits.unread_bytes {
                held = held.saturating_sub(bytes);
                inner.close(id, reason);
            }
        }
    }

    fn release(&self, id: u64, reason: usize) {
        let mut inner = self.inner();
        if let Some(entry) = inner.entries.remove(&id) {
            if entry.is_closing {
                inner.closing = inner.closing.saturating_sub(1);
            } else {
                inner.leave(entry.block);
            }
        }
        drop(inner);
        self.metrics.closed(reason);
        self.ended.notify_waiters();
    }
}

impl Inner {
    /// Returns the number of connections that are not being closed.
    fn open(&self) -> usize {
        self.entries.len().saturating_sub(self.closing)
    }

    fn leave(&mut self, block: Option<u128>) {
        let Some(block) = block else { return };
        if let Some(count) = self.blocks.get_mut(&block) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.blocks.remove(&block);
            }
        }
    }

    /// Returns the address block with the most connections.
    fn busiest_block(&self) -> Option<u128> {
        self.blocks.iter().max_by_key(|(block, count)| (**count, **block)).map(|(block, _)| *block)
    }

    fn close(&mut self, id: u64, reason: CloseReason) {
        let Some(entry) = self.entries.get_mut(&id).filter(|entry| !entry.is_closing) else {
            return;
        };
        entry.is_closing = true;
        entry.progress.close(reason);
        let block = entry.block;
        self.closing += 1;
        self.leave(block);
    }

    /// Closes the least active connection, of one address block or of all, together with other
    /// stuck connections, so that not every new connection requires a search. Returns the number of
    /// closed connections.
    fn evict(&mut self, block: Option<u128>, limit: usize) -> usize {
        let candidates = self
            .entries
            .iter()
            .filter(|(_, entry)| !entry.is_closing && (block.is_none() || entry.block == block));
        let mut worst: Vec<(EvictionRank, u64)> =
            candidates.filter_map(|(id, entry)| Some((entry.eviction_rank()?, *id))).collect();
        let most = (limit / EVICTION_DIVISOR).max(1);
        if most < worst.len() {
            worst.select_nth_unstable(most);
            worst.truncate(most);
        }
        worst.sort_unstable();
        let mut closed = 0;
        for (eviction_rank, id) in worst {
            if closed == 0 || eviction_rank.is_stuck() {
                self.close(id, CloseReason::Evicted);
                closed += 1;
            }
        }
        closed
    }
}

/// The eviction order of connections; the lowest is evicted first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct EvictionRank {
    idle_ticks: Reverse<u32>,
    is_idle: bool,
}

impl EvictionRank {
    fn is_stuck(self) -> bool {
        self.idle_ticks.0 >= STUCK_TICKS
    }
}

impl Entry {
    /// Updates the progress since the last tick.
    fn tick(&mut self) -> Waiting {
        let bytes = self.progress.read() + self.progress.written();
        let begun = self.progress.begun();
        if bytes.saturating_sub(self.last_bytes) >= PROGRESS_BYTES || begun != self.last_begun {
            (self.last_bytes, self.last_begun) = (bytes, begun);
            self.idle_ticks = 0;
        } else {
            self.idle_ticks = self.idle_ticks.saturating_add(1);
        }
        self.progress.waiting()
    }

    /// Returns the bytes moved in the window once the server has waited that long for the client.
    fn window_bytes(&mut self, waiting: Waiting) -> Option<u64> {
        match waiting {
            Waiting::ForReader | Waiting::ForBody => {}
            Waiting::ForServer => return None,
            // The protocol library has its own timeout for heads.
            Waiting::ForHead | Waiting::Idle => {
                self.meter.reset();
                return None;
            }
        }
        let moved = self.progress.read() + self.progress.written();
        let bytes = moved.saturating_sub(self.last_moved);
        self.last_moved = moved;
        self.meter.tick(bytes)
    }

    /// Returns `true` if a slow transfer ends now. The read of a slow body fails first, so that the
    /// handler can answer.
    fn should_close(&mut self, waiting: Waiting, too_slow: bool) -> bool {
        if too_slow && waiting == Waiting::ForBody && !self.progress.refuse_slow_body() {
            self.slow_body_ticks = 1;
            return false;
        }
        if self.slow_body_ticks > 0 {
            self.slow_body_ticks += 1;
        }
        too_slow && (self.slow_body_ticks == 0 || self.slow_body_ticks > SLOW_BODY_TICKS)
    }

    /// Returns the eviction rank; `None` while the server works for the connection, and for a
    /// recently used connection of a signed-in caller.
    fn eviction_rank(&self) -> Option<EvictionRank> {
        let waiting = self.progress.waiting();
        let is_protected = self.progress.is_signed_in() && self.idle_ticks < SIGNED_IN_TICKS;
        (waiting != Waiting::ForServer && !is_protected).then(|| EvictionRank {
            idle_ticks: Reverse(self.idle_ticks),
            is_idle: waiting == Waiting::Idle,
        })
    }
}

/// Bytes of a long head that count for the limit of all long heads; dropping the value releases
/// them.
#[derive(Debug)]
pub(crate) struct LongHead {
    registry: Arc<Registry>,
    bytes: u64,
}

impl ConnectionSlot {
    pub(crate) const fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }

    /// Returns `true` if the slot is beyond the limit and serves only urgent requests.
    pub(crate) const fn is_spare(&self) -> bool {
        self.is_spare
    }

    pub(crate) fn limits(&self) -> &ListenLimits {
        self.registry.limits()
    }

    /// Counts a head of this many bytes; `None` if the limit of all long heads together is
    /// exceeded.
    pub(crate) fn long_head(&self, bytes: u64) -> Option<LongHead> {
        let registry = Arc::clone(&self.registry);
        let before = registry.long_heads.fetch_add(bytes, Ordering::Relaxed);
        let most = registry.limits.long_heads;
        // Dropping the value releases the bytes.
        let head = LongHead { registry, bytes };
        (before + bytes <= most).then_some(head)
    }

    /// Counts a request that was refused for lack of a slot.
    pub(crate) fn refused(&self) {
        self.registry.metrics.refused();
    }
}

impl Drop for LongHead {
    fn drop(&mut self) {
        self.registry.long_heads.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.registry.release(self.id, self.progress.close_reason());
    }
}
