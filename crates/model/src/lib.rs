//! The shared vocabulary: ids, roles, errors, layouts, time and randomness, without I/O.

mod audit_target_kind;
mod closed_set;
mod error;
mod git_provider;
mod id;
mod job_kind;
mod layout;
mod role;
mod scope;
mod site;
mod time;
mod uuid;

pub use audit_target_kind::AuditTargetKind;
pub use error::{Error, ErrorKind, Result};
pub use git_provider::GitProvider;
pub use id::{
    ChangeRequestId, CollectionId, CommentId, CommentReplyId, EventId, FileId, Id, InvitationId,
    InviteLinkId, JobId, OrganizationId, PageId, ReusableContentId, ReviewId, RevisionId,
    SessionId, SignInLinkId, SiteId, SiteSpaceId, SpaceId, TeamId, TokenId, UserId,
};
pub use job_kind::JobKind;
pub use layout::{CoverSize, Layout, LayoutWidth};
pub use role::{Level, Role, TeamRole};
pub use scope::Scope;
pub use site::{SiteType, SiteVisibility};
pub use time::{Clock, Entropy, FixedClock, Timestamp};
pub use uuid::AuditEventId;
