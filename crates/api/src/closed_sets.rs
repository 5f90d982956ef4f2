//! Conversions between the closed sets of the contract and those of the model. A value that only one
//! of them has does not compile.

use bindery_app::content::openapi::ChangeLevel;
use bindery_app::content::problems::ProblemKind;
use bindery_app::review::change_request_reviews::Verdict;
use bindery_app::review::editing::SuggestionKind;
use bindery_model::{
    ChangeRequestExport, GitCredentialsKind, GitInstallationStatus, GitProvider, GitSyncChangeKind,
    GitSyncDirection, GitSyncPause, GitSyncRunState, GitSyncStart, GitSyncStatus, GitSyncTrigger,
    HostingService, Level, NotificationKind, OpenApiComparison, OpenApiVisibility,
    PageFeedbackRating, RewrittenHistory, Role, Scope, SiteAdsTopic, SiteAgentsContext, SiteType,
    SiteVisibility, StorageKind, TeamRole, VisitorAuthBackend,
};
use bindery_wire::values::{self, DefaultLevel};

/// Defines the conversion to the contract, for two enums with the same values.
macro_rules! shown_values {
    ($model:ident = $wire:ident: $to_wire:ident { $($value:ident),+ $(,)? }) => {
        pub(crate) const fn $to_wire(value: $model) -> values::$wire {
            match value {
                $($model::$value => values::$wire::$value,)+
            }
        }
    };
}

/// Defines the conversions to and from the contract, for two enums with the same values.
macro_rules! same_values {
    ($model:ident = $wire:ident: $to_wire:ident, $from_wire:ident { $($value:ident),+ $(,)? }) => {
        shown_values! { $model = $wire: $to_wire { $($value),+ } }

        pub(crate) const fn $from_wire(value: values::$wire) -> $model {
            match value {
                $(values::$wire::$value => $model::$value,)+
            }
        }
    };
}

same_values! {
    Role = MemberRole: member_role, role_of { Read, Comment, Edit, Review, Create, Admin }
}

shown_values! {
    SuggestionKind = SuggestionKind: suggestion_kind { Insert, Delete, Replace, Format }
}

same_values! {
    GitSyncDirection = GitSyncDirection: git_direction, git_direction_of { Both, Import, Export }
}

same_values! {
    GitSyncStart = GitSyncInitialDirection: git_start, git_start_of { Import, Export }
}

same_values! {
    RewrittenHistory = GitSyncRewrittenHistory: rewritten_history, rewritten_history_of {
        Merge, Pause,
    }
}

same_values! {
    ChangeRequestExport = GitSyncChangeRequestExport:
        change_request_export, change_request_export_of { None, Branch, PullRequest }
}

same_values! {
    HostingService = GitSyncHostingService: hosting_service, hosting_service_of {
        Github, Gitlab, Gitea,
    }
}

same_values! {
    GitProvider = GitSyncInstallationProvider: git_provider, git_provider_of { Github, Gitlab }
}

same_values! {
    GitProvider = GitSyncInstallationSetupGitHubProvider:
        git_setup_provider, git_setup_provider_of { Github, Gitlab }
}

/// Returns the side whose content the other one gets first.
pub(crate) const fn git_priority(start: GitSyncStart) -> values::GitSyncInstallationPriority {
    match start {
        GitSyncStart::Import => values::GitSyncInstallationPriority::Git,
        GitSyncStart::Export => values::GitSyncInstallationPriority::Gitbook,
    }
}

/// Returns the direction of the first run.
pub(crate) const fn git_priority_of(side: values::GitSyncInstallationPriority) -> GitSyncStart {
    match side {
        values::GitSyncInstallationPriority::Git => GitSyncStart::Import,
        values::GitSyncInstallationPriority::Gitbook => GitSyncStart::Export,
    }
}

shown_values! {
    NotificationKind = NotificationKind: notification_kind {
        Mention, Comment, Reply, ReviewRequested, Reviewed, Merged,
    }
}

shown_values! {
    ChangeLevel = OpenAPIChangeLevel: change_level { Breaking, Warning, Info }
}

shown_values! {
    OpenApiComparison = OpenAPIComparisonState: openapi_comparison {
        First, Pending, Complete, Failed,
    }
}

shown_values! {
    ProblemKind = ContentProblemKind: content_problem_kind {
        UnknownBlock, InvalidCondition, InvalidExpression, InvalidFormula, MissingApiPart,
        BreakingApiChange,
    }
}

shown_values! {
    GitCredentialsKind = GitSyncCredentialsKind: git_credentials_kind { None, Token, Basic, Ssh }
}

shown_values! {
    GitInstallationStatus = GitSyncInstallationStatus: git_installation_status {
        Unauthenticated, Active, Pending,
    }
}

shown_values! {
    GitInstallationStatus = GitRepositoryConnectionAuthState: git_connection_state {
        Unauthenticated, Active, Pending,
    }
}

/// Returns the side that decides about the first run.
pub(crate) const fn git_merge_authority(
    start: GitSyncStart,
) -> values::GitSyncRootDefaultMergeAuthorityPolicy {
    match start {
        GitSyncStart::Import => values::GitSyncRootDefaultMergeAuthorityPolicy::Provider,
        GitSyncStart::Export => values::GitSyncRootDefaultMergeAuthorityPolicy::Gitbook,
    }
}

shown_values! {
    GitSyncStatus = GitSyncStatus: git_status { Active, Failed, Conflict, Paused }
}

shown_values! {
    GitSyncPause = GitSyncPauseReason: git_pause { Manual, Authentication, RewrittenHistory }
}

shown_values! {
    GitSyncChangeKind = GitSyncChangeKind: git_change { Added, Modified, Removed, Renamed, Moved }
}

shown_values! {
    GitSyncRunState = GitSyncRunState: git_run_state { Running, Done, Conflict, Failed }
}

shown_values! {
    GitSyncTrigger = GitSyncRunTrigger: git_trigger { Poll, Webhook, Merge, ChangeRequest, Manual }
}

same_values! {
    TeamRole = TeamMemberRole: team_role, team_role_of { Owner, Member }
}

same_values! {
    Scope = TokenScope: token_scope, scope_of { Read, Write, Admin }
}

same_values! {
    Verdict = ChangeRequestReviewStatus: review_status, verdict_of { Approved, ChangesRequested }
}

same_values! {
    SiteType = SiteType: site_type, site_type_of {
        Basic, Premium, Ultimate, Sponsored, LegacyBasic, LegacyPremium,
    }
}

same_values! {
    OpenApiVisibility = OpenAPISpecVisibility: openapi_visibility, openapi_visibility_of {
        Private, Public,
    }
}

same_values! {
    SiteVisibility = SiteVisibility: site_visibility, site_visibility_of {
        Public, Unlisted, ShareLink, VisitorAuth,
    }
}

same_values! {
    VisitorAuthBackend = VisitorAuthCustomBackendBackend:
    visitor_auth_backend, visitor_auth_backend_of { Custom, Integration }
}

same_values! {
    SiteAgentsContext = SiteAgentsContext: site_agents_context, site_agents_context_of {
        Excluded, Included,
    }
}

same_values! {
    SiteAdsTopic = SiteAdsTopic: site_ads_topic, site_ads_topic_of { Webdev, Crypto }
}

/// Converts the rating of a page into the contract's value.
pub(crate) const fn page_feedback_rating(rating: PageFeedbackRating) -> values::PageFeedbackRating {
    match rating {
        PageFeedbackRating::Bad => values::PageFeedbackRating::Bad,
        PageFeedbackRating::Ok => values::PageFeedbackRating::Ok,
        PageFeedbackRating::Good => values::PageFeedbackRating::Good,
    }
}

/// Converts the kind of an uploaded file from the contract.
pub(crate) const fn storage_kind_of(kind: values::StorageUploadKind) -> StorageKind {
    match kind {
        values::StorageUploadKind::CustomizationFont => StorageKind::CustomizationFont,
        values::StorageUploadKind::ImportFile => StorageKind::ImportFile,
    }
}

/// Converts a default level into the contract's value, which is null if members have no access.
pub(crate) const fn default_level(level: Level) -> Option<DefaultLevel> {
    Some(match level {
        Level::None => return None,
        Level::Inherit => DefaultLevel::Inherit,
        Level::Role(Role::Read) => DefaultLevel::Read,
        Level::Role(Role::Comment) => DefaultLevel::Comment,
        Level::Role(Role::Edit) => DefaultLevel::Edit,
        Level::Role(Role::Review) => DefaultLevel::Review,
        Level::Role(Role::Create) => DefaultLevel::Create,
        Level::Role(Role::Admin) => DefaultLevel::Admin,
    })
}

/// Converts the contract's default level, where null means no access.
pub(crate) const fn level_of(level: Option<DefaultLevel>) -> Level {
    match level {
        None => Level::None,
        Some(DefaultLevel::Inherit) => Level::Inherit,
        Some(DefaultLevel::Read) => Level::Role(Role::Read),
        Some(DefaultLevel::Comment) => Level::Role(Role::Comment),
        Some(DefaultLevel::Edit) => Level::Role(Role::Edit),
        Some(DefaultLevel::Review) => Level::Role(Role::Review),
        Some(DefaultLevel::Create) => Level::Role(Role::Create),
        Some(DefaultLevel::Admin) => Level::Role(Role::Admin),
    }
}
