//! Documents as JSON in the structure of the API contract.
//!
//! `Document` implements `serde::Serialize`; [`Document::from_json`](crate::Document::from_json)
//! reads the same structure.

mod read;
mod write;

pub use read::{DocumentError, JsonContext, NODE_LIMIT, TEXT_LIMIT};

/// The name of the integration under which content without a type in the contract is serialized.
pub const OWN_INTEGRATION: &str = "bindery";
