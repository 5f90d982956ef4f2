//! Published sites.

mod moved_pages;
