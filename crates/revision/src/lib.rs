//! Defines immutable objects, content-defined maps, revisions and the page tree, with their differences
//! and merges. It performs no I/O.
//!
//! A [`Revision`] refers to a [`Content`], which is a set of [`Map`]s whose nodes and values are objects
//! addressed by their [`struct@Hash`]. Objects are read through [`Objects`]. An edit adds a few objects
//! to a [`Staging`] and returns a new [`Content`]; the old one is unchanged. [`tree`] reads and [`edit`]
//! changes the tree of pages; [`diff`] compares and [`merge`] merges contents.
//!
//! # Example
//!
//! ```
//! use bindery_revision::{Map, MemoryObjects, Salt, Staging};
//!
//! let stored = MemoryObjects::new();
//! let mut staging = Staging::new(&stored);
//! let old = Map::empty(Salt::new([0; 16]));
//! let new = old.apply(&mut staging, [("page".into(), Some("text".into()))])?;
//! assert_eq!(new.get(&staging, b"page")?.as_deref(), Some(&b"text"[..]));
//! assert!(old.is_empty());
//! # Ok::<(), bindery_revision::ObjectError>(())
//! ```

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
mod shown;
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
    PageOperation, PageRecord, PageTag, PageValue, Record, Reference, ReusableAttribute,
    ReusableRecord, ReusableValue, Variable, Variables,
};
pub use shown::carry_over;
