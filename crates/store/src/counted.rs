//! A count of callers that wait.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts a caller until it is dropped, because the caller has its result or stopped waiting.
pub(crate) struct Counted<'c>(&'c AtomicUsize);

impl<'c> Counted<'c> {
    pub(crate) fn new(count: &'c AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
