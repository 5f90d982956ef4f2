//! Wire types of the implemented operations, generated from the API contract: [`request`] contains
//! the types that callers send, [`response`] the types they receive, and [`values`] the
//! enumerations of both.
//!
//! `cargo xtask contract` writes these three folders; the rest is written by hand. Documents are
//! opaque here, as `bindery-content` defines their structure.

mod list;
mod patch;
mod string_enum;
mod timestamp;

#[expect(missing_docs, reason = "the contract has names and shapes, and no prose")]
pub mod request;
#[expect(missing_docs, reason = "the contract has names and shapes, and no prose")]
pub mod response;
#[expect(missing_docs, reason = "the contract has names and shapes, and no prose")]
pub mod values;

#[cfg(test)]
mod tests;

pub use list::{List, Next};
pub use patch::Patch;
pub(crate) use string_enum::string_enum;
