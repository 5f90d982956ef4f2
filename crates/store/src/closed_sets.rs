//! Values of closed sets, such as roles, which the database stores by their names.

use bindery_model::{
    AuditTargetKind, ChangeRequestExport, GitCredentialsKind, GitInstallationStatus, GitProvider,
    GitSyncDirection, GitSyncPause, GitSyncRunState, GitSyncStart, GitSyncStatus, GitSyncTrigger,
    HostingService, JobKind, Level, NotificationKind, OpenApiComparison, OpenApiFailure,
    OpenApiState, OpenApiVisibility, PageFeedbackRating, RewrittenHistory, Role, SiteAdsStatus,
    SiteAdsTopic, SiteAgentsContext, SiteInsightsEventType, SiteType, SiteVisibility, StorageKind,
    TeamRole, VisitorAuthBackend,
};

use crate::audit_events::AuditAction;
use crate::change_request_reviews::Verdict;
use crate::change_requests::Status;
use crate::embeds::EmbedStatus;
use crate::sessions::SignInMethod;
use crate::{Column, FromColumn, JobStatus, Source, Value};

/// Implements the conversion of enums with `as_str` and `parse` to and from text columns. Reading
/// fails if the text is not the name of a value.
macro_rules! closed_sets {
    ($($name:ident: $expected:literal),+ $(,)?) => {$(
        impl From<$name> for Value<'_> {
            fn from(value: $name) -> Self {
                Value::from(value.as_str())
            }
        }

        impl From<&$name> for Value<'_> {
            fn from(value: &$name) -> Self {
                Value::from(value.as_str())
            }
        }

        impl FromColumn for $name {
            const EXPECTED: &'static str = $expected;
            const SHOWS_TEXT: bool = true;

            fn from_column(column: Column<'_>) -> Option<Self> {
                match column {
                    Column::Text(text) => Self::parse(text),
                    _ => None,
                }
            }
        }
    )+};
}

closed_sets! {
    AuditAction: "an action of audit events",
    AuditTargetKind: "the kind of the target of an audit event",
    ChangeRequestExport: "the way in which change requests are exported",
    EmbedStatus: "the status of the description of an embed",
    GitCredentialsKind: "the kind of Git credentials",
    GitInstallationStatus: "the state of a Git installation",
    GitProvider: "a Git hosting service",
    GitSyncDirection: "the direction of a synchronisation",
    GitSyncPause: "the reason of a paused synchronisation",
    GitSyncRunState: "the state of a run of a synchronisation",
    GitSyncStart: "the direction of the first synchronisation",
    GitSyncStatus: "the state of a synchronisation",
    GitSyncTrigger: "the cause of a run of a synchronisation",
    HostingService: "a Git hosting service with an interface",
    JobKind: "the kind of a job",
    JobStatus: "the status of a job",
    NotificationKind: "the kind of a notification",
    OpenApiComparison: "the progress of a comparison of OpenAPI specifications",
    OpenApiFailure: "the reason why an OpenAPI specification cannot be read",
    OpenApiState: "the progress of an OpenAPI specification",
    OpenApiVisibility: "the visibility of an OpenAPI specification",
    RewrittenHistory: "the reaction to a rewritten history",
    Role: "a role",
    SignInMethod: "a sign-in method",
    SiteAdsStatus: "the status of a site's ads",
    SiteAdsTopic: "the topic of a site's ads",
    SiteAgentsContext: "the use of a site by agents",
    SiteInsightsEventType: "the type of an event of a site",
    SiteType: "the type of a site",
    SiteVisibility: "the visibility of a site",
    Source: "the source of a change",
    Status: "the status of a change request",
    StorageKind: "the kind of an uploaded file",
    PageFeedbackRating: "the rating of a page",
    TeamRole: "a role in a team",
    Verdict: "the status of a review",
    VisitorAuthBackend: "the backend of a site's visitor authentication",
}

// A default level is null if members have no access.
impl From<Level> for Value<'_> {
    fn from(level: Level) -> Self {
        Value::from(level.as_str())
    }
}

impl From<&Level> for Value<'_> {
    fn from(level: &Level) -> Self {
        Value::from(level.as_str())
    }
}

impl FromColumn for Level {
    const EXPECTED: &'static str = "a default level";
    const SHOWS_TEXT: bool = true;

    fn from_column(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Null => Self::parse(None),
            Column::Text(text) => Self::parse(Some(text)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_set_are_read() {
        assert_eq!(Role::from_column(Column::Text("edit")), Some(Role::Edit));
        assert_eq!(Option::<Role>::from_column(Column::Null), Some(None));
        for column in [Column::Text("editor"), Column::Text(""), Column::Int(1)] {
            assert_eq!(Role::from_column(column), None, "{column:?}");
            assert_eq!(Option::<Role>::from_column(column), None, "{column:?}");
        }
        assert_eq!(Role::from_column(Column::Null), None);
        assert_eq!(Level::from_column(Column::Null), Some(Level::None));
        assert_eq!(Level::from_column(Column::Text("inherit")), Some(Level::Inherit));
        assert_eq!(Level::from_column(Column::Text("none")), None);
    }
}
