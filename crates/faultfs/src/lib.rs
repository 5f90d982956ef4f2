//! A file layer below SQLite that records writes and syncs, so that a test can compute the state of
//! the disk after a power failure at any moment.
//!
//! Killing a process does not test syncing, as the system still writes everything that the process
//! has handed over. [`install`] puts a layer between SQLite and the system's files. [`Replay`] then
//! builds the files that a disk may hold after a power failure: all synced bytes, and any part of
//! the others.

mod replay;
mod vfs;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

pub use replay::Replay;
pub use vfs::install;

/// An operation on a file. The record holds operations in their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Bytes were handed to the system.
    Write {
        /// The file's path.
        file: PathBuf,
        /// The position in the file in bytes.
        offset: usize,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A file was truncated or extended.
    Truncate {
        /// The file.
        file: PathBuf,
        /// The file's new size in bytes.
        size: usize,
    },
    /// All bytes handed over for a file are on the disk.
    Sync {
        /// The file's path.
        file: PathBuf,
    },
    /// A file was deleted.
    Delete {
        /// The file's path.
        file: PathBuf,
    },
    /// The test was told that the change with this number is durable.
    Acknowledged(u64),
}

/// The record, or `None` while nothing is recorded.
static RECORD: Mutex<Option<Vec<Step>>> = Mutex::new(None);

/// Starts a new record.
pub fn start() {
    *RECORD.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::new());
}

/// Ends the record and returns it.
pub fn stop() -> Vec<Step> {
    RECORD.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
}

/// Records that the test was told that a change is durable.
pub fn acknowledge(what: u64) {
    record(|| Step::Acknowledged(what));
}

pub(crate) fn record(step: impl FnOnce() -> Step) {
    if let Some(steps) = RECORD.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        steps.push(step());
    }
}
