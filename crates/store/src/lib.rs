//! Stores records in SQLite or PostgreSQL, and content objects in the database, a folder or an object
//! store.
//!
//! A [`Store`] runs transactions: synchronous closures over a [`Tx`] that may run more than once. Each
//! statement has one SQL text for both engines, with the parameters `$1`, `$2`, …; the statements of a
//! noun are functions in its module, such as [`spaces`]. Events ([`NewEvent`]) are recorded and jobs
//! ([`NewJob`]) enqueued in the transaction that causes them.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//!
//! use bindery_model::{Entropy, FixedClock, Timestamp};
//! use bindery_store::{Store, StoreConfig, StoreError, Tx, organizations};
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let folder = tempfile::tempdir()?;
//! let (clock, entropy) = (FixedClock::new(Timestamp::from_millis(0)), Entropy::seeded(1));
//! let store = Store::open(StoreConfig::embedded(folder.path(), Arc::new(clock), Arc::new(entropy))).await?;
//! let exists: Result<bool, StoreError> = store.read(organizations::any_exists).await;
//! assert!(!exists?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod closed_sets;
mod config;
mod counted;
mod error;
mod events;
mod idempotency;
mod jobs;
mod measure;
mod meta;
mod migrations;
mod objects;
mod origin;
mod postgres;
mod record;
mod row;
mod shared;
mod sqlite;
mod store;
mod tx;
mod value;

pub mod agent_instructions;
pub mod amended_revisions;
pub mod audit_events;
pub mod change_request_reviewers;
pub mod change_request_reviews;
pub mod change_requests;
pub mod collections;
pub mod comments;
pub mod computed_contents;
pub mod custom_fonts;
pub mod editing;
pub mod editing_windows;
pub mod embeds;
pub mod git_branches;
pub mod git_exports;
pub mod git_installations;
pub mod git_states;
pub mod git_sync_dry_runs;
pub mod git_sync_runs;
pub mod git_syncs;
pub mod import_change_requests;
pub mod invitations;
pub mod invite_links;
pub mod known_networks;
pub mod link_indexes;
pub mod members;
pub mod notifications;
pub mod openapi;
pub mod organizations;
pub mod outdated;
pub mod page_feedback;
pub mod passwords;
pub mod pdf_files;
pub mod permissions;
pub mod positions;
pub mod revisions;
pub mod sessions;
pub mod sign_in_attempts;
pub mod sign_in_links;
pub mod site_adaptive_schemas;
pub mod site_ads;
pub mod site_customizations;
pub mod site_external_links;
pub mod site_images;
pub mod site_insights;
pub mod site_publishing_auth;
pub mod site_redirects;
pub mod site_section_groups;
pub mod site_sections;
pub mod site_share_links;
pub mod site_spaces;
pub mod sites;
pub mod space_moves;
pub mod space_references;
pub mod spaces;
pub mod storage_files;
pub mod team_members;
pub mod teams;
pub mod tokens;
pub mod users;

pub use config::{EngineConfig, ObjectsConfig, StoreConfig};
pub use error::StoreError;
pub use events::{
    CollectionSettings, Event, EventSummary, FieldChange, JoinMethod, NewEvent, RecordedEvent,
    SiteSpaceSettings, TeamSettings, last_position, sum_up_events,
};
pub use idempotency::{IdempotencyKey, StoredResponse};
pub use jobs::{
    Job, JobCount, JobCursor, JobError, JobFilter, JobLease, JobSignal, JobStatus, LeaseRequest,
    LeasedJob, NewJob, Progress, Retry, StoredJobKind,
};
pub use objects::{
    GarbageCollection, ObjectInfo, ObjectPieces, PreparedObject, ReceivedObject, StoreObjects,
    TxObjects,
};
pub use origin::{Origin, Source};
pub use row::Row;
pub use store::{ConnectionCounts, LongReadCounts, Store};
pub use tx::Tx;
pub use value::{Column, FromColumn, Value};
