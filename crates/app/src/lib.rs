//! Implements the use cases, the background jobs and the access policy of the server. This is the only
//! crate that combines the store, the content model, Git and outbound requests.
//!
//! [`App`] holds everything that lives as long as the server. A use case is a function in the module of
//! its noun, such as [`spaces`] or [`change_requests`]; it takes a [`Context`], which consists of the
//! transaction, the `App` and the caller. [`access`] decides if a caller may perform an action.
//! [`run_jobs`] runs the background jobs until the server stops. [`Limits`] bounds the cost of requests
//! and jobs.
//!
//! # Example
//!
//! ```
//! use bindery_app::access::{Action, Decision, Scope, Scopes, decide};
//! use bindery_model::Role;
//!
//! let scopes = Scopes::of(&[Scope::Read]);
//! assert_eq!(decide(Some(Role::Read), scopes, Action::ReadSpace), Decision::Allowed);
//! // The token lacks the scope, whatever the role of its owner.
//! let decision = decide(Some(Role::Admin), scopes, Action::EditContent);
//! assert_eq!(decision, Decision::OutOfScope(Scope::Write));
//! // To callers without a role, the space does not exist.
//! assert_eq!(decide(None, scopes, Action::ReadSpace), Decision::Unseen);
//! ```

pub mod access;
pub mod agent_instructions;
pub mod audit_events;
mod cache;
pub mod change_request_contributors;
pub mod change_request_reviewers;
pub mod change_request_reviews;
pub mod change_requests;
pub mod collections;
pub mod collector;
pub mod comments;
pub mod content;
pub mod content_changes;
pub mod content_type;
mod context;
pub mod credentials;
pub mod differences;
pub mod documents;
pub mod embedded;
pub mod expressions;
pub mod git;
pub mod history;
pub mod imports;
pub mod jobs;
mod limits;
pub mod links;
mod mail;
pub mod members;
pub mod merge_rules;
pub mod organization_invites;
pub mod organizations;
pub mod permissions;
pub mod positions;
pub mod presented;
pub mod published;
pub mod revisions;
pub mod rich_text;
pub mod secrets;
pub mod sessions;
pub mod setup;
pub mod sign_in;
pub mod sites;
pub mod spaces;
pub mod subdomains;
pub mod team_members;
pub mod teams;
pub mod templates;
pub mod text;
pub mod texts;
pub mod tokens;
pub mod urls;
pub mod users;

pub use context::{App, Context, Parts};
pub use jobs::run_jobs;
pub use limits::Limits;
