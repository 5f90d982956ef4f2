//! The errors of the index.

use thiserror::Error;

/// An error of the index.
#[derive(Debug, Error)]
pub enum SearchError {
    /// The index cannot be read. [`SearchIndex::reset`](crate::SearchIndex::reset) empties it, and
    /// the caller indexes all content again.
    #[error("the search index is damaged: {0}")]
    Damaged(String),
    /// The index cannot be written, such as on a full disk, or another process writes it. What was
    /// committed before is still there.
    #[error("cannot write the search index: {0}")]
    Write(String),
    /// The folder of the index cannot be read or created.
    #[error("cannot open the folder of the search index: {0}")]
    Folder(#[from] std::io::Error),
}

impl SearchError {
    pub(crate) fn damaged(error: impl std::fmt::Display) -> Self {
        Self::Damaged(error.to_string())
    }

    pub(crate) fn write(error: impl std::fmt::Display) -> Self {
        Self::Write(error.to_string())
    }
}
