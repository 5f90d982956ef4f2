//! What a request has against the contract.

use std::fmt;

/// Where in a request a defect is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A parameter of the query, by name.
    Query(String),
    /// A parameter of the path, by name.
    Path(String),
    /// A header, by name.
    Header(String),
    /// A JSON pointer into the body; empty for the body itself.
    Body(String),
}

impl fmt::Display for Place {
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

/// A request that the contract refuses: where, what was found, what is allowed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: found {found}, allowed: {allowed}")]
pub struct ContractError {
    /// Where the defect is.
    pub place: Place,
    /// What was found there, in words; long or secret-looking texts are only measured.
    pub found: String,
    /// What is allowed there, in words.
    pub allowed: String,
}

impl From<ContractError> for bindery_model::Error {
    fn from(error: ContractError) -> Self {
        Self::invalid(error.to_string())
    }
}
