//! Immutable objects, content-defined maps, revisions and the page tree. This crate does no I/O.
//!
//! A revision's [`Content`] is a set of [`Map`]s whose nodes and values are objects addressed by
//! their [`struct@Hash`]. Objects are read through [`Objects`]. An edit adds a few objects to a
//! [`Staging`] and returns a new [`Content`]; the old one is unchanged.

mod content;
pub mod diff;
pub mod edit;
mod facet;
mod links;
pub mod map;
pub mod merge;
pub mod object;
pub mod order;
mod reachability;
mod record;
pub mod tree;

pub use content::{Author, Content, ContentKind, PathEntry, Redirect, Revision};
pub use facet::Facet;
pub use links::LinkIndex;
pub use map::{Difference, Direction, Map, Salt};
pub use object::{Hash, MemoryObjects, ObjectError, Objects, Staging};
pub use order::OrderKey;
pub use reachability::{ObjectKind, ObjectRef, ValueKind};
pub use record::{
    ContentRef, Cover, CoverSize, Dimensions, FileAttribute, FileRecord, FileValue, Layout,
    LayoutWidth, MetaLinks, NavigationEntry, NavigationKind, PageAttribute, PageBody, PageKind,
    PageRecord, PageTag, PageValue, Record, Reference, ReusableAttribute, ReusableRecord,
    ReusableValue, Variable, Variables,
};
