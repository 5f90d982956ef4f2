//! Errors of the store, as far as a caller can act on the difference.

use std::fmt::Display;
use std::path::PathBuf;

/// A failure of the store.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StoreError {
    /// A unique constraint rejected the row. The text is the engine's message.
    #[error("the value already exists: {0}")]
    Unique(String),
    /// A foreign key rejected the change. The text is the engine's message.
    #[error("a referenced row is missing or still in use: {0}")]
    Reference(String),
    /// A statement followed a failed one, or the transaction committed after a failed statement.
    #[error("the transaction was aborted because a statement in it failed")]
    Aborted,
    /// The transaction conflicted with concurrent ones on every attempt.
    #[error("the transaction conflicted with concurrent ones on every attempt")]
    Contended,
    /// The database or the object store does not respond, or its disk is full.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The closure of a transaction panicked, and the transaction was rolled back.
    #[error("a transaction panicked: {0}")]
    Panicked(String),
    /// A column has an unexpected type or value.
    #[error("column {index} is {found}, expected {expected}")]
    Column {
        /// Index of the column, from 0.
        index: usize,
        /// The value in the row.
        found: String,
        /// The expected type or value.
        expected: &'static str,
    },
    /// A statement that must return exactly one row returned none.
    #[error("expected a row, found none")]
    NoRow,
    /// Text contains U+0000, which PostgreSQL cannot store. Callers should reject such text.
    #[error("text contains U+0000")]
    Nul,
    /// Stored bytes cannot be read.
    #[error("the stored data is damaged: {0}")]
    Corrupt(String),
    /// The store does not contain the object.
    #[error("object {0} is not in the store")]
    NoObject(String),
    /// The worker no longer holds the job's lease.
    #[error("another worker has the job, or it has ended")]
    LeaseLost,
    /// A newer program wrote the store.
    #[error(
        "the store was written by {written_by} and is at version {found}; this is {program}, \
         which knows versions up to {known}: start the newer program, or restore a backup"
    )]
    Newer {
        /// The schema version of the stored data.
        found: i64,
        /// The newest schema version that this program supports.
        known: i64,
        /// The program that wrote the store, with its version.
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
    /// The configuration is invalid.
    #[error("{0}")]
    Config(String),
    /// Any other error of the database.
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
            StoreError::Unique(_) => Self::conflict("an object with this value already exists"),
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
