//! Links: what texts refer to, whether it is there, and who refers to what.
//!
//! What a text says by itself (`written`) is told apart from what that leads to in a content
//! (`resolve`), because the second changes without the first. An index of both lets lists and
//! counts read what they show and nothing else. Each space has one stored (`store`), which follows
//! its main content; what it takes to get from there to the content that is asked for is made then
//! (`kept`).

mod broken;
mod context;
mod index;
mod kept;
mod list;
mod resolve;
mod store;
#[cfg(test)]
mod tests;
mod written;

pub use broken::{BrokenLink, broken_links};
pub use context::{LinkContext, Neighbour, ResolvedTarget, Status};
pub(crate) use kept::KeptIndexes;
pub use list::{BrokenBy, LinkQuery, Links, ReferenceLocation, Stats, Usage, Usages};
pub use store::{DELAY, store_next};
pub use written::{Holder, Relation};
