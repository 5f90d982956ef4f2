//! Published sites.

pub(crate) mod moved_pages;
