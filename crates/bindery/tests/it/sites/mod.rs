//! Published sites.

mod adaptive;
mod audience;
mod front_end;
mod moved_pages;
