//! Published sites.

mod audience;
mod moved_pages;
