//! Use cases and jobs; the access policy. The only floor that combines the ones below.

pub mod access;
pub mod change_request_contributors;
pub mod change_request_reviewers;
pub mod change_request_reviews;
pub mod change_requests;
pub mod collector;
pub mod comments;
pub mod content;
pub mod content_changes;
pub mod content_type;
mod context;
pub mod documents;
pub mod expressions;
pub mod git;
pub mod history;
pub mod imports;
pub mod jobs;
mod limits;
pub mod merge_rules;
pub mod organizations;
pub mod presented;
pub mod revisions;
pub mod rich_text;
pub mod secrets;
pub mod setup;
pub mod sites;
pub mod spaces;
pub mod text;
pub mod texts;
pub mod tokens;
pub mod urls;
pub mod users;
mod worker;

pub use context::{App, Cx, Parts};
pub use limits::Limits;
pub use worker::run_jobs;
