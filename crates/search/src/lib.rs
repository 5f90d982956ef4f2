//! The search engine: an index of the pages of all spaces, and queries on it.
//!
//! A [`SearchIndex`] is a folder that one process writes in batches. It is derived from the content
//! and can be built again at any time: an index of another version, or one that cannot be read, is
//! replaced by an empty one, and the caller indexes all content. The bytes that
//! [`Batch::set_payload`] stores with a space tell which revision is indexed, also after a crash.
//!
//! A [`Snapshot`] answers queries. A [`Scope`] names a space and decides which [`Condition`]s hold
//! for the reader. Pages, sections, words, totals, corrections and completions of which a condition
//! does not hold take no part in a query, because it reads only the terms of the namespaces that the
//! reader may see.
//!
//! # Example
//!
//! ```
//! use bindery_model::{Entropy, PageId, SpaceId};
//! use bindery_search::{PageEntry, Preparation, Query, Scope, SearchIndex, Section};
//!
//! let (folder, entropy) = (tempfile::tempdir()?, Entropy::seeded(1));
//! let (index, _) = SearchIndex::open(folder.path(), 32 << 20)?;
//! let space = SpaceId::random(&entropy);
//! let page = PageEntry {
//!     id: PageId::random(&entropy),
//!     path: "install".into(),
//!     title: "Installation".into(),
//!     description: String::new(),
//!     ancestors: Vec::new(),
//!     language: Some("en".into()),
//!     boost: 1.0,
//!     conditions: Vec::new(),
//!     sections: vec![Section { text: "Run the installer.".into(), ..Section::default() }],
//! };
//! let mut batch = index.batch()?;
//! batch.replace_page(space, Preparation::default().prepare(&page))?;
//! batch.commit()?;
//! let scopes = [Scope::new(space, &|_| false)];
//! let hits = index.snapshot().search(&Query::new("instaling", &scopes))?;
//! assert_eq!((hits.total, hits.pages[0].title.as_str()), (1, "Installation"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod analyzer;
mod directory;
mod entry;
mod error;
mod extract;
mod index;
mod page;
mod query;
mod queue;
mod schema;
mod text;

pub use entry::{Condition, PageEntry, PageKey, Section};
pub use error::SearchError;
pub use extract::{Includes, Operations, sections};
pub use index::{Batch, IndexState, SearchIndex, Snapshot};
pub use page::{Preparation, PreparedPage};
pub use query::{
    Correction, Hits, MAX_QUERY_CHARS, MAX_RANK, MAX_SYNONYM_WORDS, Mode, NameHit, PageHit, Query,
    Scope, SectionHit, count_words,
};
