//! What can go wrong in the store, told apart as far as a caller can act on it.

use std::fmt::Display;
use std::path::PathBuf;

/// A failure of the store.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StoreError {
    /// A unique constraint refused the row; the text names it in the engine's words.
    #[error("a value exists already: {0}")]
    Unique(String),
    /// A foreign key refused the change; the text is the engine's.
    #[error("a row that is referred to is missing or still in use: {0}")]
    Reference(String),
    /// A statement after one that failed, or the end of a transaction in which one failed.
    #[error("the transaction was given up because a statement in it failed")]
    Aborted,
    /// Concurrent transactions got in each other's way more often than repeating makes sense.
    #[error("gave up after repeating the transaction against concurrent ones")]
    Contended,
    /// The database or the object store does not answer, or its disk is full.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The closure of a transaction panicked; it was rolled back.
    #[error("a transaction panicked: {0}")]
    Panicked(String),
    /// A column does not hold what the code expects.
    #[error("column {index} is {found}, expected {expected}")]
    Column {
        /// The column, counted from 0.
        index: usize,
        /// What the row holds.
        found: String,
        /// What was asked for.
        expected: &'static str,
    },
    /// A statement was to return exactly one row and returned none.
    #[error("expected a row, found none")]
    NoRow,
    /// Text with U+0000, which PostgreSQL cannot hold and no caller should let pass.
    #[error("text contains U+0000")]
    Nul,
    /// Stored bytes that cannot be read back.
    #[error("the stored data is damaged: {0}")]
    Corrupt(String),
    /// An object that the store does not hold.
    #[error("object {0} is not in the store")]
    NoObject(String),
    /// A job is no longer this worker's.
    #[error("another worker has the job, or it has ended")]
    LeaseLost,
    /// The store was written by a newer program.
    #[error(
        "the store was written by {written_by} and is at version {found}; this is {program}, \
         which knows versions up to {known}: start the newer program, or restore a backup"
    )]
    Newer {
        /// The version of the stored data.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
        /// The program that wrote it, with its version.
        written_by: String,
        /// This program, with its version.
        program: String,
    },
    /// Another process has the embedded store open.
    #[error(
        "another process uses the store in {}: stop it first, or give this one its own data folder",
        .0.display()
    )]
    InUse(PathBuf),
    /// The configuration makes no sense.
    #[error("{0}")]
    Config(String),
    /// Anything else the database said.
    #[error("the database failed: {0}")]
    Database(String),
}

impl StoreError {
    pub(crate) fn unavailable(what: &str, error: impl Display) -> Self {
        Self::Unavailable(format!("{what}: {error}"))
    }
}

impl From<StoreError> for bindery_model::Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unique(_) => Self::conflict("something with this value exists already"),
            StoreError::Unavailable(_) | StoreError::Contended => {
                Self::unavailable(error.to_string())
            }
            StoreError::Nul => Self::invalid("text must not contain U+0000"),
            other => Self::internal(other.to_string()),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        use rusqlite::ffi;

        let text = error.to_string();
        let Some(failure) = error.sqlite_error() else {
            return Self::Database(text);
        };
        match (failure.code, failure.extended_code) {
            (
                Code::ConstraintViolation,
                ffi::SQLITE_CONSTRAINT_UNIQUE
                | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
                | ffi::SQLITE_CONSTRAINT_ROWID,
            ) => Self::Unique(text),
            (Code::ConstraintViolation, ffi::SQLITE_CONSTRAINT_FOREIGNKEY) => Self::Reference(text),
            (
                Code::DatabaseBusy
                | Code::DatabaseLocked
                | Code::DiskFull
                | Code::SystemIoFailure
                | Code::OutOfMemory
                | Code::CannotOpen,
                _,
            ) => Self::Unavailable(text),
            (Code::DatabaseCorrupt | Code::NotADatabase, _) => Self::Corrupt(text),
            _ => Self::Database(text),
        }
    }
}
