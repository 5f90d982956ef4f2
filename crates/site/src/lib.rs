//! Serves published sites.
//!
//! [`Sites`] answers requests: it finds the site by the address, the page by the path, and renders or
//! reuses the response. [`view`] contains the data that a page shows and renders it as HTML, `serve`
//! fills the views from the store, and [`http`] holds the responses with their compressed forms.
//! [`urls`] builds and parses addresses, [`feeds`] writes sitemaps, `robots.txt` and `llms.txt`,
//! [`i18n`] contains the texts of the interface in all languages, [`card`] draws the images of link
//! previews.
//!
//! # Example
//!
//! ```
//! use bindery_site::urls;
//!
//! assert_eq!(urls::href("/docs/", "first steps/install"), "/docs/first%20steps/install");
//! ```

pub mod card;
pub mod feeds;
pub mod http;
pub mod i18n;
pub mod icons;
mod serve;
pub mod style;
pub mod urls;
pub mod view;

pub use serve::{FILES, Sites};
