//! Published sites.

mod adaptive;
mod audience;
mod customization;
mod front_end;
mod moved_pages;
mod redirects;
mod sections;
mod structure;
