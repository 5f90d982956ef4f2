//! Wire types of the operations that are built, generated from the contract: [`request`] is what
//! callers send, [`response`] what they get, [`values`] the enumerations of both.
//!
//! `cargo xtask contract` writes those three folders; the rest is written by hand. Documents are
//! opaque here: their shapes are those of `bindery-content`.

mod list;
mod patch;
mod texts;
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
pub(crate) use texts::texts;
