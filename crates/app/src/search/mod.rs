//! Search in the content of spaces.
//!
//! Each node has an index of its own in the folder for derived data. `follow` keeps it in accordance
//! with the main content of all spaces: it compares them when the server starts, and then follows
//! the events. `pages` indexes what has changed in a space. [`search`] answers queries within the
//! spaces that the caller may read.

mod conditions;
mod described;
mod entry;
mod follow;
mod pages;
mod query;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use bindery_model::{Error, Result};
use bindery_search::{IndexState, SearchError, SearchIndex, Snapshot};

pub(crate) use self::follow::follow;
pub use self::query::{
    Found, Mode, NameHit, PageKey, SearchedSpace, Sight, Wanted, nearest, related, search,
};
pub use bindery_search::{
    Correction, MAX_QUERY_CHARS, MAX_RANK, MAX_SYNONYM_WORDS, PageHit, SectionHit, count_words,
};

/// Memory in bytes that writing the index may take.
const WRITER_MEMORY: usize = 32 << 20;
/// Seconds after which a client may try again while a damaged index is built anew.
const RETRY_SECONDS: u32 = 1;
/// The folder of the index in the folder for derived data.
const FOLDER: &str = "search";

/// The index of this node.
#[derive(Debug, Default)]
pub(crate) struct NodeIndex {
    opening: Mutex<()>,
    open: OnceLock<SearchIndex>,
    is_damaged: AtomicBool,
    is_suspect: AtomicBool,
}

impl NodeIndex {
    /// Returns the index. The first call opens it in a folder for derived data.
    fn open(&self, cache_dir: &Path) -> std::result::Result<&SearchIndex, SearchError> {
        let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = self.open.get() {
            return Ok(open);
        }
        let (index, state) = SearchIndex::open(&cache_dir.join(FOLDER), WRITER_MEMORY)?;
        match state {
            // Its files are compared with their checksums.
            IndexState::Existing => self.suspect(),
            IndexState::Created => tracing::info!("an empty search index was created"),
            IndexState::Discarded(reason) => {
                tracing::warn!(%reason, "the search index is discarded and built anew");
            }
        }
        Ok(self.open.get_or_init(|| index))
    }

    /// Runs a query on the index as of the last commit.
    fn query<T>(
        &self,
        cache_dir: &Path,
        run: impl FnOnce(&Snapshot) -> std::result::Result<T, SearchError>,
    ) -> Result<T> {
        let snapshot = self.snapshot(cache_dir)?;
        // The library panics on some damaged files.
        match catch_unwind(AssertUnwindSafe(|| run(&snapshot))) {
            Ok(done) => done.map_err(|error| self.failed(&error)),
            Err(_) => {
                self.suspect();
                Err(unreadable("the search index could not be read and is verified; try again"))
            }
        }
    }

    fn snapshot(&self, cache_dir: &Path) -> Result<Snapshot> {
        let open = match self.open.get() {
            Some(open) => Ok(open),
            None => self.open(cache_dir),
        };
        open.map(SearchIndex::snapshot).map_err(|error| self.failed(&error))
    }

    /// Converts an error of a query. A damaged index is built anew.
    fn failed(&self, error: &SearchError) -> Error {
        if matches!(error, SearchError::Damaged(_)) {
            self.is_damaged.store(true, Ordering::Relaxed);
            return unreadable("the search index is damaged and is being built anew; try again");
        }
        Error::internal(error.to_string())
    }

    /// Compares the files of the index with their checksums. Returns `true` if they are damaged.
    fn verify(&self) -> bool {
        let Some(Err(error)) = self.open.get().map(SearchIndex::verify) else { return false };
        tracing::warn!(%error, "the search index is damaged");
        self.is_damaged.store(true, Ordering::Relaxed);
        true
    }

    /// Has the files of the index verified soon.
    fn suspect(&self) {
        self.is_suspect.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if damage was found since the last call.
    fn take_damage(&self) -> bool {
        self.is_damaged.swap(false, Ordering::Relaxed)
    }

    /// Returns `true` if there was a reason to verify the files since the last call.
    fn take_suspicion(&self) -> bool {
        self.is_suspect.swap(false, Ordering::Relaxed)
    }
}

/// Returns the error for an index that is going to be built anew.
fn unreadable(message: &'static str) -> Error {
    Error::unavailable(message).retry_after(RETRY_SECONDS)
}
