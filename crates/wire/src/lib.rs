//! Contains the wire types of the implemented operations, generated from the API contract.
//!
//! [`request`] contains the types that callers send, [`response`] the types they receive, and
//! [`values`] the enumerations of both. `cargo xtask contract` writes these three folders; the rest is
//! written by hand. Documents are opaque here, as `bindery-content` defines their structure. A field of
//! a PATCH request that may be null is a [`Patch`]; pages of lists are [`List`]s.
//!
//! # Example
//!
//! ```
//! use bindery_wire::Patch;
//! use bindery_wire::request::UpdateSpaceByIdBody;
//!
//! let body: UpdateSpaceByIdBody = serde_json::from_str(r#"{ "emoji": null }"#)?;
//! assert_eq!((body.emoji, body.icon), (Patch::Null, Patch::Absent));
//! # Ok::<(), serde_json::Error>(())
//! ```

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
