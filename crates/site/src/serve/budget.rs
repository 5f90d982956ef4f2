//! The read budget and the cancellation of one rendering.

use std::cell::Cell;

use super::limiter::Size;
use super::single_flight::Cancellation;

/// Maximum bytes of source that a small rendering reads.
const SMALL_BYTES: usize = 256 << 10;
/// The cost of one entry of a list of pages, in bytes of source.
const LIST_ENTRY_BYTES: usize = 256;
/// Maximum bytes of a page's own text that are shown.
pub(super) const MAX_PAGE_SOURCE: usize = 4 << 20;
/// Maximum bytes of source that a large rendering reads: the page's own text and the contents that
/// it includes.
const LARGE_BYTES: usize = 2 * MAX_PAGE_SOURCE;
/// Maximum bytes of other pages that a large rendering reads to correct links to them.
const LINKED_BYTES: usize = 1 << 20;

/// The work of one rendering, measured in bytes of source that it reads.
#[derive(Debug)]
pub(super) struct RenderBudget {
    size: Size,
    cancellation: Cancellation,
    read: Cell<usize>,
    linked: Cell<usize>,
    is_exceeded: Cell<bool>,
}

impl RenderBudget {
    pub(super) fn new(size: Size, cancellation: Cancellation) -> Self {
        Self {
            size,
            cancellation,
            read: Cell::new(0),
            linked: Cell::new(0),
            is_exceeded: Cell::new(false),
        }
    }

    /// Counts bytes of source. Returns `true` if they may be read.
    pub(super) fn read(&self, bytes: usize) -> bool {
        let limit = match self.size {
            Size::Small => SMALL_BYTES,
            Size::Large => LARGE_BYTES,
        };
        let read = self.read.get().saturating_add(bytes);
        if read > limit {
            self.is_exceeded.set(true);
        } else {
            self.read.set(read);
        }
        !self.is_exhausted()
    }

    /// Counts bytes of the source of a page that is linked. Returns `true` if they may be read. A
    /// large rendering does without them beyond a limit.
    pub(super) fn read_linked(&self, bytes: usize) -> bool {
        if self.size == Size::Small {
            return self.read(bytes);
        }
        let linked = self.linked.get().saturating_add(bytes);
        if linked > LINKED_BYTES || self.is_exhausted() {
            return false;
        }
        self.linked.set(linked);
        true
    }

    /// Counts an entry of a list of pages. Returns `true` if it may be read. The length of a list
    /// is not limited here, but a long list requires a large rendering.
    pub(super) fn read_list_entry(&self) -> bool {
        match self.size {
            Size::Small => self.read(LIST_ENTRY_BYTES),
            Size::Large => !self.is_exhausted(),
        }
    }

    /// Returns `true` if the rendering is a large one. A small one stops, and is started again as a
    /// large one.
    pub(super) fn is_large(&self) -> bool {
        if self.size == Size::Small {
            self.is_exceeded.set(true);
        }
        !self.is_exhausted()
    }

    /// Returns `true` if the rendering must stop.
    pub(super) fn is_exhausted(&self) -> bool {
        self.is_exceeded.get() || self.cancellation.is_cancelled()
    }

    /// Returns `true` if the result must be discarded, because no request waits for it or because
    /// it requires a large rendering.
    pub(super) fn is_discarded(&self) -> bool {
        self.cancellation.is_cancelled() || self.is_exceeded.get() && self.size == Size::Small
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_renderings_stop_at_a_lower_limit() {
        let small = RenderBudget::new(Size::Small, Cancellation::default());
        assert!(small.read(SMALL_BYTES) && !small.is_discarded());
        assert!(!small.read(1) && small.is_discarded() && small.is_exhausted());
        let large = RenderBudget::new(Size::Large, Cancellation::default());
        assert!(large.read(SMALL_BYTES + 1));
        assert!(!large.read_linked(LINKED_BYTES + 1) && !large.is_exhausted());
        assert!(large.read_linked(LINKED_BYTES) && !large.read_linked(1));
        assert!(!large.read(LARGE_BYTES) && large.is_exhausted() && !large.is_discarded());
    }
}
