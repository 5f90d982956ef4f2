//! Published sites. `view` holds the data that a page shows and renders it as HTML, `serve` fills
//! the views from the store, and `http` holds the responses with their compressed forms.

pub mod feeds;
pub mod http;
pub mod i18n;
pub mod icons;
mod serve;
pub mod style;
pub mod urls;
pub mod view;

pub use serve::{FILES, Sites};
