//! Implements the use cases, the background jobs and the access policy of the server. This is the only
//! crate that combines the store, the content model, Git and outbound requests.
//!
//! [`App`] holds everything that lives as long as the server. A use case is a function in the module of
//! its noun, such as [`content::spaces`] or [`review::change_requests`]; it takes a [`Context`], which consists of the
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
pub mod audit_events;
mod cache;
pub mod content;
mod context;
pub mod idempotency;
pub mod jobs;
mod limits;
mod own_thread;
pub mod people;
pub mod publishing;
pub mod review;
pub mod search;
pub mod secrets;
pub mod setup;
pub mod text;

pub use bindery_store::{ObjectPieces, StoreError, Tx, TxObjects};
pub use context::{App, Context, Parts};
pub use jobs::run_jobs;
pub use limits::Limits;
