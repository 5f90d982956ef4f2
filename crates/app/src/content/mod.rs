//! Spaces and their content: collections, revisions, pages, documents, files and links, and the
//! imports, templates and change batches that write them.

pub(crate) mod base64;
pub mod collections;
pub mod content_changes;
pub mod content_type;
mod derived;
pub mod differences;
pub mod documents;
pub mod edit_pages;
pub mod embedded;
pub mod embeds;
pub mod exports;
pub mod expressions;
pub mod former_paths;
pub mod git;
pub mod git_branches;
mod git_hosting;
pub mod git_installations;
pub mod git_requests;
pub mod git_sync;
pub mod history;
pub mod imports;
pub mod links;
pub mod markdown;
pub mod openapi;
pub mod pdf;
pub mod positions;
pub mod presented;
pub mod problems;
mod proposals;
pub mod revisions;
pub mod snapshot;
pub mod spaces;
mod synced_content;
pub mod templates;
pub mod texts;
pub mod unlisted;
