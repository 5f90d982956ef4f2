//! Links: what texts refer to, whether it is there, and who refers to what.
//!
//! What a text says by itself (`written`) is told apart from what that leads to in a content
//! (`resolve`), because the second changes without the first. Each content carries an index of
//! both, so that lists and counts read what they show and nothing else.

mod around;
mod index;
mod list;
mod resolve;
#[cfg(test)]
mod tests;
mod written;

pub use around::{Around, Lead, Neighbour, Status};
pub use index::{Sink, index};
pub(crate) use index::{is_indexed, other_spaces};
pub use list::{Asked, BrokenBy, Links, Place, Stats, Usage, Usages};
pub use written::{Holder, Relation};
