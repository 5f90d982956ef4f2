//! Sites and the addresses at which content is published.

pub mod adaptive;
pub mod ads;
pub mod audience;
pub mod custom_fonts;
pub mod customization;
pub mod hostnames;
pub mod insights;
pub mod page_feedback;
pub mod published;
pub mod redirects;
pub mod resolve;
pub mod site_images;
pub mod sites;
pub mod storage;
pub mod structure;
pub mod subdomains;
pub mod urls;
