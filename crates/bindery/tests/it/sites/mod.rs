//! Published sites.

mod adaptive;
mod addresses;
mod ads;
mod audience;
mod custom_fonts;
mod customization;
mod embeds;
mod external_links;
mod front_end;
mod insights;
mod llms;
mod looks;
mod markdown;
mod mcp;
mod moved_pages;
mod other_sites;
mod page_feedback;
mod page_settings;
mod pdf;
mod permissions;
mod programs;
mod redirects;
mod sections;
mod storage;
mod structure;
mod unlisted;
