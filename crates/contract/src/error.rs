//! Violations of the contract by a request.

use std::fmt;

/// The location of a violation in a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Location {
    /// A query parameter, by name.
    Query(String),
    /// A path parameter, by name.
    Path(String),
    /// A header, by name.
    Header(String),
    /// A JSON pointer into the body; empty for the body itself.
    Body(String),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Query(name) => write!(f, "query parameter \"{name}\""),
            Self::Path(name) => write!(f, "path parameter \"{name}\""),
            Self::Header(name) => write!(f, "header \"{name}\""),
            Self::Body(pointer) if pointer.is_empty() => write!(f, "body"),
            Self::Body(pointer) => write!(f, "body at {pointer}"),
        }
    }
}

/// A violation of the contract by a request.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{location}: found {found}, allowed: {allowed}")]
pub struct ContractError {
    /// The location of the violation.
    pub location: Location,
    /// A description of the value found; long texts, and texts that may be secrets, are replaced by
    /// their length.
    pub found: String,
    /// A description of the allowed values.
    pub allowed: String,
}

impl From<ContractError> for bindery_model::Error {
    fn from(error: ContractError) -> Self {
        Self::invalid(error.to_string())
    }
}
