//! Published sites.

mod adaptive;
mod addresses;
mod audience;
mod custom_fonts;
mod customization;
mod front_end;
mod looks;
mod moved_pages;
mod page_settings;
mod permissions;
mod redirects;
mod sections;
mod storage;
mod structure;
