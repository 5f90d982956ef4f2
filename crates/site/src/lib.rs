//! Published sites: what a reader's browser gets. The views say what a page needs, the renderers
//! turn them into bytes, and `serve` fills the views from the store.

pub mod feeds;
pub mod http;
pub mod icons;
mod serve;
pub mod style;
pub mod urls;
pub mod view;
pub mod words;

pub use serve::Sites;
