//! Search in the content of spaces.
//!
//! Each node has an index of its own in the folder for derived data. [`follow`](follow::follow)
//! keeps it in accordance with the main content of all spaces: it compares them when the server
//! starts, and then follows the events. [`pages`] indexes what has changed in a space, and
//! [`search`] answers queries within the spaces that the caller may read.

mod conditions;
mod entry;
mod follow;
mod pages;
mod query;

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use bindery_model::{Error, Result};
use bindery_search::{IndexState, SearchError, SearchIndex, Snapshot};

pub(crate) use self::follow::follow;
pub use self::query::{Found, SearchedSpace, Sight, search};
pub use bindery_search::{PageHit, SectionHit};

/// Memory in bytes that writing the index may take.
const WRITER_MEMORY: usize = 64 << 20;
/// Seconds after which a client may try again while the index is not open.
const RETRY_SECONDS: u32 = 1;

/// The index of this node.
#[derive(Debug, Default)]
pub(crate) struct NodeIndex {
    open: OnceLock<SearchIndex>,
    is_damaged: AtomicBool,
}

impl NodeIndex {
    /// Opens the index in a folder, unless it is open.
    fn open(&self, folder: &Path) -> std::result::Result<&SearchIndex, SearchError> {
        if let Some(open) = self.open.get() {
            return Ok(open);
        }
        let (index, state) = SearchIndex::open(folder, WRITER_MEMORY)?;
        match state {
            IndexState::Existing => {}
            IndexState::Created => tracing::info!("an empty search index was created"),
            IndexState::Discarded(reason) => {
                tracing::warn!(%reason, "the search index is discarded and built anew");
            }
        }
        Ok(self.open.get_or_init(|| index))
    }

    /// Returns the index as of the last commit.
    fn snapshot(&self) -> Result<Snapshot> {
        let open = self.open.get().ok_or_else(|| {
            Error::unavailable("the search index is being opened; try again")
                .retry_after(RETRY_SECONDS)
        })?;
        Ok(open.snapshot())
    }

    /// Converts an error of a query. A damaged index is built anew.
    fn failed(&self, error: &SearchError) -> Error {
        if matches!(error, SearchError::Damaged(_)) {
            self.is_damaged.store(true, Ordering::Relaxed);
        }
        Error::internal(error.to_string())
    }

    /// Returns `true` if a query has found damage since the last call.
    fn take_damage(&self) -> bool {
        self.is_damaged.swap(false, Ordering::Relaxed)
    }
}
