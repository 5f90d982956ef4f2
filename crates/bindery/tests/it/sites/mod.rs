//! Published sites.

mod adaptive;
mod audience;
mod customization;
mod front_end;
mod looks;
mod moved_pages;
mod redirects;
mod sections;
mod structure;
