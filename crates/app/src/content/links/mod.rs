//! Links: the references in texts, the status of their targets, and backlinks.
//!
//! A reference as its text writes it (`written`) is separate from its target in a content
//! (`resolve`), because the target can change while the text does not. An index of both lets lists
//! and counts read only the entries that they return. Each space has one stored index (`store`),
//! which follows its main content. Indexes of other contents are derived from it on demand and
//! cached (`cache`).

mod broken;
mod cache;
mod context;
mod index;
mod list;
mod resolve;
mod store;
#[cfg(test)]
mod tests;
mod written;

pub use broken::{BrokenLink, broken_links};
pub(crate) use cache::IndexCache;
pub use context::{LinkContext, Neighbour, ResolvedTarget, Status};
pub use list::{
    BrokenBy, LinkQuery, Links, ReferenceLocation, Stats, Usage, Usages, holders_of_spec,
};
pub use store::{DELAY, store_next};
pub use written::{Holder, Relation};
