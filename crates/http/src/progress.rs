//! The progress of one connection: bytes moved, exchanges begun, and the side that is waited for.
//! The connection's task writes these counters, and the registry reads them and decides.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::sync::Notify;

/// Maximum number of bytes of a streamed response that may wait to be written.
const MAX_QUEUED_BYTES: u64 = 64 << 10;
/// Whole bodies below this size in bytes are not counted as held.
const MIN_HELD_BYTES: u64 = 16 << 10;

/// The reason why this server closed a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CloseReason {
    /// The client read or sent more slowly than the minimum rate.
    SlowTransfer = 1,
    /// The connection was closed in favour of another one.
    Evicted = 2,
    /// Unread responses exceeded their memory limit, and this connection's was among the largest.
    UnreadAnswer = 3,
    /// The client reset the connection.
    Reset = 4,
}

/// Counters and flags of one connection.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    read: AtomicU64,
    written: AtomicU64,
    begun: AtomicU64,
    open: AtomicU64,
    /// Bytes of bodies handed to the protocol library since the last flush.
    queued: AtomicU64,
    /// Bytes of the last whole body, until it is flushed.
    held: AtomicU64,
    write_blocked: AtomicBool,
    body_wanted: AtomicBool,
    body_slow: AtomicBool,
    in_head: AtomicBool,
    is_changing: AtomicBool,
    signed_in: AtomicBool,
    /// Requests begun since the connection last had nothing to read.
    pipelined: AtomicU64,
    close_reason: AtomicU8,
    close: Notify,
    flushed: Mutex<Option<Waker>>,
    body: Mutex<Option<Waker>>,
}

/// The side that is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Waiting {
    /// The client must read.
    ForReader,
    /// The client must send the rest of a body.
    ForBody,
    /// The client must send a request or the rest of its head.
    ForHead,
    /// No exchange is open: the connection is kept for a further request.
    Idle,
    /// The server must answer.
    ForServer,
}

fn wake(slot: &Mutex<Option<Waker>>) {
    let waker = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(waker) = waker {
        waker.wake();
    }
}

fn wait(slot: &Mutex<Option<Waker>>, cx: &Context<'_>) {
    *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(cx.waker().clone());
}

impl Progress {
    pub(crate) fn add_read(&self, bytes: usize, in_head: bool) {
        self.read.fetch_add(bytes as u64, Ordering::Relaxed);
        self.in_head.store(in_head, Ordering::Relaxed);
    }

    pub(crate) fn add_written(&self, bytes: usize) {
        self.written.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Records that there is nothing to read, so that the next request was not sent ahead.
    pub(crate) fn read_is_pending(&self) {
        self.pipelined.store(0, Ordering::Relaxed);
    }

    /// Records that the client must read before more can be written.
    pub(crate) fn write_is_pending(&self) {
        self.write_blocked.store(true, Ordering::Relaxed);
    }

    /// Records that everything was written.
    pub(crate) fn is_flushed(&self) {
        self.queued.store(0, Ordering::Relaxed);
        self.held.store(0, Ordering::Relaxed);
        if self.write_blocked.swap(false, Ordering::Relaxed) {
            wake(&self.flushed);
        }
    }

    /// Waits until blocked output has been written.
    pub(crate) fn poll_written(&self, cx: &Context<'_>) -> Poll<()> {
        if !self.write_blocked.load(Ordering::Relaxed) {
            return Poll::Ready(());
        }
        wait(&self.flushed, cx);
        Poll::Pending
    }

    /// Waits until there is room for another piece of a streamed response.
    pub(crate) fn poll_room(&self, cx: &Context<'_>) -> Poll<()> {
        if self.queued.load(Ordering::Relaxed) < MAX_QUEUED_BYTES {
            return Poll::Ready(());
        }
        // The protocol library flushes its output when a body is pending.
        self.write_blocked.store(true, Ordering::Relaxed);
        wait(&self.flushed, cx);
        Poll::Pending
    }

    pub(crate) fn add_queued(&self, bytes: usize) {
        self.queued.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn hold(&self, bytes: u64) {
        self.held.store(if bytes < MIN_HELD_BYTES { 0 } else { bytes }, Ordering::Relaxed);
    }

    /// Returns the size of the whole bodies that an unread response holds, in bytes.
    pub(crate) fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// Records that an exchange begins. Returns the number of requests that arrived in one go.
    pub(crate) fn begin(&self) -> u64 {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.open.fetch_add(1, Ordering::Relaxed);
        self.pipelined.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn end(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn begun(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open.load(Ordering::Relaxed) > 0
    }

    /// Records if a handler works on a request that may change something.
    pub(crate) fn set_changing(&self, is_changing: bool) {
        self.is_changing.store(is_changing, Ordering::Relaxed);
    }

    pub(crate) fn is_changing(&self) -> bool {
        self.is_changing.load(Ordering::Relaxed)
    }

    pub(crate) fn set_signed_in(&self) {
        self.signed_in.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_signed_in(&self) -> bool {
        self.signed_in.load(Ordering::Relaxed)
    }

    /// Records that the handler waits for more of the request's body, or no longer waits. Returns
    /// `true` if the client was found too slow.
    pub(crate) fn want_body(&self, waits: Option<&Context<'_>>) -> bool {
        if let Some(cx) = waits {
            wait(&self.body, cx);
        }
        self.body_wanted.store(waits.is_some(), Ordering::Relaxed);
        self.body_slow.load(Ordering::Relaxed)
    }

    /// Fails the handler's read of a slow body. Returns `true` if that was done before.
    pub(crate) fn refuse_slow_body(&self) -> bool {
        let was = self.body_slow.swap(true, Ordering::Relaxed);
        wake(&self.body);
        was
    }

    /// Returns `true` if the read of a slow body was failed.
    pub(crate) fn has_slow_body(&self) -> bool {
        self.body_slow.load(Ordering::Relaxed)
    }

    pub(crate) fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    pub(crate) fn waiting(&self) -> Waiting {
        if self.write_blocked.load(Ordering::Relaxed) {
            Waiting::ForReader
        } else if self.body_wanted.load(Ordering::Relaxed) {
            Waiting::ForBody
        } else if self.is_open() {
            Waiting::ForServer
        } else if self.in_head.load(Ordering::Relaxed) || self.begun() == 0 {
            Waiting::ForHead
        } else {
            Waiting::Idle
        }
    }

    /// Requests the connection's task to close the connection.
    pub(crate) fn close(&self, reason: CloseReason) {
        self.close_reason.store(reason as u8, Ordering::Relaxed);
        self.close.notify_one();
    }

    /// Waits until the connection is to be closed.
    pub(crate) async fn wait_for_close(&self) {
        self.close.notified().await;
    }

    /// Returns the number of the reason for which this server closed the connection; 0 if it did
    /// not.
    pub(crate) fn close_reason(&self) -> usize {
        usize::from(self.close_reason.load(Ordering::Relaxed))
    }
}
