//! A file layer under SQLite that records what is written and what is synced, so that a test can
//! ask what a power cut at any moment would have left.
//!
//! Killing a process proves nothing about syncing: the system still writes what the process had
//! handed over. [`install`] puts a layer between SQLite and the system's files; [`Replay`] then
//! builds the files as a disk may hold them: everything synced, and of the rest any part.

mod replay;
mod vfs;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

pub use replay::Replay;
pub use vfs::install;

/// What happened to the files, in its order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Bytes were handed to the system.
    Write {
        /// The file.
        file: PathBuf,
        /// Where in the file.
        offset: usize,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A file was cut to a size.
    Truncate {
        /// The file.
        file: PathBuf,
        /// Its new size.
        size: usize,
    },
    /// Everything handed over for a file is on the disk.
    Sync {
        /// The file.
        file: PathBuf,
    },
    /// A file was deleted.
    Delete {
        /// The file.
        file: PathBuf,
    },
    /// The test was told that something is durable.
    Acknowledged(u64),
}

/// The record; `None` while nothing is recorded.
static RECORD: Mutex<Option<Vec<Step>>> = Mutex::new(None);

/// Begins a new record.
pub fn start() {
    *RECORD.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::new());
}

/// Ends the record and hands it out.
pub fn stop() -> Vec<Step> {
    RECORD.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
}

/// Notes that the test was told of something durable.
pub fn acknowledge(what: u64) {
    record(|| Step::Acknowledged(what));
}

pub(crate) fn record(step: impl FnOnce() -> Step) {
    if let Some(steps) = RECORD.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        steps.push(step());
    }
}
