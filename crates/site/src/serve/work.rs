//! The read budget and the cancellation of one rendering.

use std::cell::Cell;

use super::flights::Cancellation;
use super::lanes::Size;

/// Maximum bytes of source that a small rendering reads.
const SMALL: usize = 256 << 10;
/// Bytes of source for which one entry of a list of pages counts.
const LIST_ENTRY: usize = 256;
/// Maximum bytes of a page's own text that are shown.
pub(super) const PAGE_SOURCE: usize = 4 << 20;
/// Maximum bytes of source that a large rendering reads: the page's own text and the contents that
/// it includes.
const LARGE: usize = 2 * PAGE_SOURCE;

/// The work of one rendering, measured in bytes of source that it reads.
#[derive(Debug)]
pub(super) struct RenderWork {
    size: Size,
    cancellation: Cancellation,
    read: Cell<usize>,
    is_over: Cell<bool>,
}

impl RenderWork {
    pub(super) fn new(size: Size, cancellation: Cancellation) -> Self {
        Self { size, cancellation, read: Cell::new(0), is_over: Cell::new(false) }
    }

    /// Counts bytes of source. Returns `true` if they may be read.
    pub(super) fn read(&self, bytes: usize) -> bool {
        let limit = match self.size {
            Size::Small => SMALL,
            Size::Large => LARGE,
        };
        let read = self.read.get().saturating_add(bytes);
        if read > limit {
            self.is_over.set(true);
        } else {
            self.read.set(read);
        }
        !self.is_exhausted()
    }

    /// Counts an entry of a list of pages. Returns `true` if it may be read. The length of a list
    /// is not limited here, but a long list requires a large rendering.
    pub(super) fn list(&self) -> bool {
        match self.size {
            Size::Small => self.read(LIST_ENTRY),
            Size::Large => !self.is_exhausted(),
        }
    }

    /// Returns `true` if the rendering must stop.
    pub(super) fn is_exhausted(&self) -> bool {
        self.is_over.get() || self.cancellation.is_cancelled()
    }

    /// Returns `true` if the result must be discarded, because no request waits for it or because
    /// it requires a large rendering.
    pub(super) fn is_void(&self) -> bool {
        self.cancellation.is_cancelled() || self.is_over.get() && self.size == Size::Small
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_renderings_end_where_large_ones_go_on() {
        let small = RenderWork::new(Size::Small, Cancellation::default());
        assert!(small.read(SMALL) && !small.is_void());
        assert!(!small.read(1) && small.is_void() && small.is_exhausted());
        let large = RenderWork::new(Size::Large, Cancellation::default());
        assert!(large.read(SMALL + 1));
        assert!(!large.read(LARGE) && large.is_exhausted() && !large.is_void());
    }
}
