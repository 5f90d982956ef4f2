//! Published sites.

mod audience;
mod front_end;
mod moved_pages;
