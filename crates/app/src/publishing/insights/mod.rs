//! Insights: the events of a site's readers, and queries about them.
//!
//! [`aggregate`], [`mod@column`], [`filter`], [`range`], [`segments`] and [`user_agent`] evaluate
//! events without I/O. [`track`], [`observed`], [`query`] and `retention` connect them to the store.

pub mod aggregate;
pub mod column;
pub mod event;
pub mod filter;
pub mod observed;
pub mod query;
pub mod range;
pub(crate) mod retention;
pub mod segments;
pub mod track;
pub mod user_agent;
