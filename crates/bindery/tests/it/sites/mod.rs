//! Published sites.

mod adaptive;
mod audience;
mod moved_pages;
