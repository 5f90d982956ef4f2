//! Defines the vocabulary that all crates share: ids, roles, errors, layouts, time and randomness. It
//! performs no I/O.
//!
//! Each noun has an id type of its own, such as [`SpaceId`]. [`Role`], [`Level`] and [`Scope`] are the
//! terms of access. Use cases return [`Error`], whose [`ErrorKind`] the API maps to a status. [`Clock`]
//! and [`Entropy`] are passed to all code that needs the time or random values.
//!
//! # Example
//!
//! ```
//! use bindery_model::{Entropy, Role, SpaceId};
//!
//! let id = SpaceId::random(&Entropy::seeded(1));
//! assert_eq!(SpaceId::parse(id.as_str()), Some(id));
//! assert!(Role::Admin > Role::Edit);
//! ```

mod audit_target_kind;
mod closed_set;
mod error;
mod git_installation;
mod git_provider;
mod git_sync;
mod id;
mod job_kind;
mod language_tag;
mod layout;
mod location;
mod notification_kind;
mod openapi;
mod page_feedback;
mod role;
mod scope;
mod site;
mod site_insights;
mod storage;
mod time;
mod uuid;

pub use audit_target_kind::AuditTargetKind;
pub use error::{Error, ErrorKind, Result};
pub use git_installation::GitInstallationStatus;
pub use git_provider::GitProvider;
pub use git_sync::{
    ChangeRequestExport, GitCredentialsKind, GitSyncChangeKind, GitSyncDirection, GitSyncPause,
    GitSyncRunState, GitSyncStart, GitSyncStatus, GitSyncTrigger, HostingService, RewrittenHistory,
};
pub use id::*;
pub use job_kind::JobKind;
pub use language_tag::{InvalidLanguageTag, LanguageTag};
pub use layout::{CoverSize, Layout, LayoutWidth};
pub use location::{FieldPath, Location, Problem};
pub use notification_kind::NotificationKind;
pub use openapi::{OpenApiComparison, OpenApiFailure, OpenApiState, OpenApiVisibility};
pub use page_feedback::PageFeedbackRating;
pub use role::{Level, Role, TeamRole};
pub use scope::Scope;
pub use site::{
    SiteAdsStatus, SiteAdsTopic, SiteAgentsContext, SiteType, SiteVisibility, VisitorAuthBackend,
};
pub use site_insights::SiteInsightsEventType;
pub use storage::StorageKind;
pub use time::{Clock, Entropy, FixedClock, Timestamp};
pub use uuid::AuditEventId;
