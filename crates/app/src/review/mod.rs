//! The review of content: change requests, reviewers, reviews, merge rules and comments.

pub mod change_request_contributors;
pub mod change_request_reviewers;
pub mod change_request_reviews;
pub mod change_requests;
pub mod comments;
pub mod editing;
pub mod merge_rules;
pub mod notifications;
pub mod rich_text;
