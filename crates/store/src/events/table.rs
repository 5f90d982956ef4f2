//! The table of all events, and the audit events that they cause.

use std::collections::BTreeMap;

use bindery_model::{
    AuditTargetKind, ChangeRequestId, CollectionId, CommentId, CommentReplyId, CustomFontId,
    GitInstallationId, GitProvider, GitSyncPause, GitSyncTrigger, InvitationId, OpenApiSpecId,
    OpenApiVersionId, OpenApiVisibility, OrganizationId, PageFeedbackId, ReviewId, RevisionId,
    Role, Scope, SessionId, SiteExternalLinkId, SiteId, SiteRedirectId, SiteSectionGroupId,
    SiteSectionId, SiteShareLinkId, SiteSpaceId, SpaceId, TeamId, TeamRole, TokenId, UserId,
};
use serde::{Deserialize, Serialize};

use super::NewEvent;
use super::values::{CollectionSettings, FieldChange, JoinMethod, SiteSpaceSettings, TeamSettings};
use crate::change_request_reviews::Verdict;
use crate::sessions::SignInMethod;
use crate::sign_in_attempts::AttemptScope;

/// The target of an audit event.
pub(crate) struct AuditTarget {
    /// The kind of the target.
    pub(crate) kind: AuditTargetKind,
    /// Its id.
    pub(crate) id: String,
    /// Its title at that time.
    pub(crate) label: Option<String>,
}

/// Defines [`Event`] and [`AuditAction`] from a table. An entry is a name with fields, as in an
/// enum. The following entry also causes an audit event with this id and label of its action:
///
/// ```text
/// TeamCreated { team: TeamId, title: String }
///     = "team.created": "A team was created" => Team(team), title;
/// ```
///
/// `Team(team)` is the kind of the target, with the field that contains its id. Without a field,
/// the target is the organization, the space or the site that the event belongs to. After `or`
/// follows the target if the field is `None`. The last part is the title of the target.
///
/// An event is audited if it changes access, published content, tokens or settings; the others have
/// `= unaudited`. An entry with neither does not compile. Stored events and audit events contain
/// the names, so a name changes only with a migration, and a new field has a default. Responses
/// list the actions in the order of the table.
macro_rules! events {
    ($(
        $(#[$meta:meta])*
        $name:ident $({ $($(#[$field_meta:meta])* $field:ident: $ty:ty),+ $(,)? })?
        $(
            = $action:literal: $label:literal
            => $kind:ident $(($id:ident) $(or $place:ident)?)? $(, $title:ident $(.$part:ident)?)?
        )?
        $(= $unaudited:ident)?;
    )+) => {
        /// A change. The variant's name is the event's kind.
        #[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
        #[non_exhaustive]
        #[expect(
            missing_docs,
            reason = "the kinds are named after the noun and the verb of the change"
        )]
        pub enum Event {
            $($(#[$meta])* $name $({ $($(#[$field_meta])* $field: $ty,)+ })?,)+
        }

        /// The action of an audit event, named after the event that causes it.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum AuditAction {
            $($(#[doc = $label] $name,)?)+
        }

        impl AuditAction {
            /// All actions, in the order of the list.
            pub const ALL: &[Self] = &[$($(first!(Self::$name, $action),)?)+];

            /// Returns the action's id in requests and responses.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $($(Self::$name => $action,)?)+
                }
            }

            /// Returns a description for people.
            pub const fn label(self) -> &'static str {
                match self {
                    $($(Self::$name => $label,)?)+
                }
            }
        }

        impl NewEvent {
            /// Returns the action and the target of the audit event. Returns `None` if the event
            /// is not audited.
            pub(crate) fn audit(&self) -> Option<(AuditAction, AuditTarget)> {
                match &self.event {
                    $($(
                        Event::$name { $($id,)? $($title,)? .. } => {
                            let (kind, id) = target!(self, $kind $(($id) $(or $place)?)?);
                            let label = None$(.or(Option::from($title$(.$part)?.clone())))?;
                            Some((AuditAction::$name, AuditTarget { kind, id: id?, label }))
                        }
                    )?
                    $(
                        Event::$name { .. } => first!(None, $unaudited),
                    )?)+
                }
            }
        }
    };
}

/// Returns the first of two values. The second only lets a repetition depend on it.
macro_rules! first {
    ($first:expr, $second:expr) => {
        $first
    };
}

/// Returns the kind and the id of the target of an audit event.
macro_rules! target {
    ($new:expr, $kind:ident) => {
        (AuditTargetKind::$kind, $new.place(AuditTargetKind::$kind))
    };
    ($new:expr, $kind:ident($id:ident)) => {
        (AuditTargetKind::$kind, Some($id.to_string()))
    };
    ($new:expr, $kind:ident($id:ident) or $place:ident) => {
        match $id {
            Some(id) => target!($new, $kind(id)),
            None => target!($new, $place),
        }
    };
}

impl NewEvent {
    /// Returns the id of the object of this kind that the event belongs to.
    fn place(&self, kind: AuditTargetKind) -> Option<String> {
        match kind {
            AuditTargetKind::Organization => self.organization.map(|id| id.to_string()),
            AuditTargetKind::Space => self.space.map(|id| id.to_string()),
            AuditTargetKind::Site => self.site.map(|id| id.to_string()),
            _ => None,
        }
    }
}

impl AuditAction {
    /// Parses the action's id.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.as_str() == text)
    }
}

events! {
    OrganizationCreated { title: String }
        = "organization.created": "An organization was created" => Organization, title;
    OrganizationUpdated { changes: Vec<FieldChange> }
        = "organization.updated": "An organization's settings were changed" => Organization;
    AgentInstructionsUpdated { changes: Vec<FieldChange> }
        = "organization.agent-instructions.updated":
        "An organization's instructions for agents were changed"
        => Organization;
    MemberAdded {
        user: UserId,
        role: Option<Role>,
        #[serde(default)]
        by: JoinMethod,
    } = "member.added": "A member was added" => User(user);
    MemberUpdated { user: UserId, changes: Vec<FieldChange> }
        = "member.updated": "A member's role or state was changed" => User(user);
    MemberRemoved { user: UserId, changes: Vec<FieldChange> }
        = "member.removed": "A member was removed" => User(user);
    /// `link` is only the beginning of the link, because the whole link grants access.
    InviteLinkCreated {
        link: String,
        to: Option<String>,
        role: Option<Role>,
    } = "invite-link.created": "An invite link was created" => InviteLink(link);
    InviteLinkUpdated { link: String, changes: Vec<FieldChange> }
        = "invite-link.updated": "The access that an invite link grants was changed"
        => InviteLink(link);
    InviteLinkRevoked { link: String, to: Option<String>, role: Option<Role> }
        = "invite-link.revoked": "An invite link was revoked" => InviteLink(link);
    InvitationCreated { invitation: InvitationId, email: String, role: Option<Role> }
        = "invitation.created": "A person was invited" => Invitation(invitation), email;
    InvitationAccepted { invitation: InvitationId, user: UserId }
        = "invitation.accepted": "An invitation was accepted" => Invitation(invitation);
    InvitationRevoked { invitation: InvitationId, email: String }
        = "invitation.revoked": "An invitation was revoked" => Invitation(invitation), email;
    TeamCreated { team: TeamId, title: String, members: BTreeMap<UserId, TeamRole> }
        = "team.created": "A team was created" => Team(team), title;
    TeamUpdated { team: TeamId, before: TeamSettings, after: TeamSettings }
        = "team.updated": "A team's settings were changed" => Team(team), after.title;
    /// `before` and `after` contain only the people whose role changed.
    TeamMembersUpdated {
        team: TeamId,
        before: BTreeMap<UserId, TeamRole>,
        after: BTreeMap<UserId, TeamRole>,
    } = "team.members.updated": "The members of a team were changed" => Team(team);
    /// Includes the members and grants that were deleted with the team.
    TeamDeleted {
        team: TeamId,
        title: String,
        members: BTreeMap<UserId, TeamRole>,
        spaces: BTreeMap<SpaceId, Role>,
        collections: BTreeMap<CollectionId, Role>,
        #[serde(default)]
        sites: BTreeMap<SiteId, Role>,
    } = "team.deleted": "A team was deleted with its grants" => Team(team), title;
    TokenCreated {
        token: TokenId,
        user: UserId,
        #[serde(default)]
        name: String,
        #[serde(default)]
        scopes: Vec<Scope>,
        /// Milliseconds since 1970.
        #[serde(default)]
        expires_at: Option<i64>,
    } = "token.created":
        "A token with access to the organization was created" => Token(token), name;
    TokenRevoked {
        token: TokenId,
        user: UserId,
        #[serde(default)]
        name: String,
    } = "token.revoked": "A token was revoked" => Token(token), name;
    SessionCreated { session: SessionId, user: UserId, way: SignInMethod }
        = "session.created": "A user signed in with a browser" => Session(session);
    SessionEnded { session: SessionId, user: UserId }
        = "session.ended": "A browser session was ended" => Session(session);
    SignInFailed { user: UserId, of: AttemptScope, attempts: i64, limit: i64 }
        = "user.sign_in_failed": "A sign-in failed because of a wrong password" => User(user);
    UserCreated { user: UserId } = unaudited;
    UserUpdated { user: UserId, changes: Vec<FieldChange> } = unaudited;
    UserVerified { user: UserId } = unaudited;
    PasswordSet { user: UserId } = "password.set": "A user set their password" => User(user);
    PasswordRemoved { user: UserId }
        = "password.removed": "A user's password was removed" => User(user);
    SpaceCreated { title: Option<String> } = "space.created": "A space was created" => Space, title;
    SpaceUpdated {
        #[serde(default)]
        changes: Vec<FieldChange>,
    } = "space.updated": "A space's settings were changed" => Space;
    SpaceDuplicated { from: SpaceId }
        = "space.duplicated": "A space was created as a copy of another" => Space;
    SpaceDeleted = "space.deleted": "A space was deleted" => Space;
    SpaceRestored = "space.restored": "A deleted space was restored" => Space;
    SpaceRemoved = "space.removed": "A deleted space was removed permanently" => Space;
    SpaceMoved { from: Option<CollectionId>, to: Option<CollectionId> }
        = "space.moved": "A space was moved within its organization" => Space;
    SpaceTransferred { from: OrganizationId, to: OrganizationId }
        = "space.transferred": "A space was transferred to another organization" => Space;
    RevisionCreated {
        /// The content before the change.
        #[serde(default)]
        before: Option<RevisionId>,
        revision: RevisionId,
        revision_kind: String,
    } = "space.content.updated": "The main content of a space was changed" => Space;
    ChangeRequestCreated { change_request: ChangeRequestId, number: i64 } = unaudited;
    ChangeRequestUpdated { change_request: ChangeRequestId, fields: Vec<String> } = unaudited;
    ChangeRequestContentUpdated {
        change_request: ChangeRequestId,
        revision: RevisionId,
        revision_kind: String,
    } = unaudited;
    ChangeRequestMerged { change_request: ChangeRequestId, revision: RevisionId }
        = "change-request.merged": "A change request was merged" => ChangeRequest(change_request);
    ReviewSubmitted { change_request: ChangeRequestId, review: ReviewId, status: Verdict }
        = unaudited;
    ReviewerRequested { change_request: ChangeRequestId, user: UserId } = unaudited;
    ReviewerRemoved { change_request: ChangeRequestId, user: UserId } = unaudited;
    CommentPosted { comment: CommentId, change_request: Option<ChangeRequestId> } = unaudited;
    CommentUpdated {
        comment: CommentId,
        change_request: Option<ChangeRequestId>,
        fields: Vec<String>,
    } = unaudited;
    CommentResolved { comment: CommentId, change_request: Option<ChangeRequestId> } = unaudited;
    CommentReopened { comment: CommentId, change_request: Option<ChangeRequestId> } = unaudited;
    CommentDeleted { comment: CommentId, change_request: Option<ChangeRequestId> } = unaudited;
    CommentReplyPosted {
        comment: CommentId,
        reply: CommentReplyId,
        change_request: Option<ChangeRequestId>,
    } = unaudited;
    CommentReplyUpdated {
        comment: CommentId,
        reply: CommentReplyId,
        change_request: Option<ChangeRequestId>,
        fields: Vec<String>,
    } = unaudited;
    CommentReplyDeleted {
        comment: CommentId,
        reply: CommentReplyId,
        change_request: Option<ChangeRequestId>,
    } = unaudited;
    ImportStarted { job: String } = unaudited;
    ImportFinished { job: String, revision: Option<RevisionId> } = unaudited;
    ImportFailed { job: String, code: String } = unaudited;
    ExportStarted { job: String } = unaudited;
    ExportFinished { job: String, commit: Option<String> } = unaudited;
    ExportFailed { job: String, code: String } = unaudited;
    GitSyncUpdated { url: String, reference: String }
        = "space.git-sync.updated": "A space's Git synchronisation was changed" => Space;
    GitSyncDeleted = "space.git-sync.deleted": "A space's Git synchronisation was ended" => Space;
    GitSyncPaused { reason: GitSyncPause }
        = "space.git-sync.paused": "A space's Git synchronisation was paused" => Space;
    GitSyncResumed
        = "space.git-sync.resumed": "A space's Git synchronisation was resumed" => Space;
    GitSyncStarted { job: String, trigger: GitSyncTrigger } = unaudited;
    GitSyncFinished { job: String, revision: Option<RevisionId>, commit: Option<String> }
        = unaudited;
    GitSyncFailed { job: String, code: String } = unaudited;
    GitInstallationCreated { installation: GitInstallationId, provider: GitProvider }
        = "git-installation.created": "A Git hosting service was installed"
        => GitInstallation(installation);
    GitInstallationUpdated { installation: GitInstallationId }
        = "git-installation.updated": "The installation of a Git hosting service was changed"
        => GitInstallation(installation);
    GitInstallationDeleted { installation: GitInstallationId }
        = "git-installation.deleted": "The installation of a Git hosting service was removed"
        => GitInstallation(installation);
    CollectionCreated { collection: CollectionId, title: String }
        = "collection.created": "A collection was created" => Collection(collection), title;
    CollectionUpdated {
        collection: CollectionId,
        before: CollectionSettings,
        after: CollectionSettings,
    } = "collection.updated":
        "A collection's settings were changed" => Collection(collection), after.title;
    CollectionMoved {
        collection: CollectionId,
        from: Option<CollectionId>,
        to: Option<CollectionId>,
    } = "collection.moved":
        "A collection was moved within its organization" => Collection(collection);
    CollectionTransferred { collection: CollectionId, from: OrganizationId, to: OrganizationId }
        = "collection.transferred": "A collection was transferred to another organization"
        => Collection(collection);
    CollectionDeleted { collection: CollectionId, title: String }
        = "collection.deleted": "A collection was deleted" => Collection(collection), title;
    PermissionChanged {
        collection: Option<CollectionId>,
        user: Option<UserId>,
        team: Option<TeamId>,
        before: Option<Role>,
        after: Option<Role>,
    } = "permission.changed":
        "The access of a user or a team to a space or a collection was changed"
        => Collection(collection) or Space;
    SiteCreated { title: String } = "site.created": "A site was created" => Site, title;
    SiteUpdated { fields: Vec<String> } = "site.updated": "A site's settings were changed" => Site;
    SiteDeleted = "site.deleted": "A site was deleted" => Site;
    SitePublished = "site.published": "A site was published" => Site;
    SiteUnpublished = "site.unpublished": "A site was unpublished" => Site;
    SitePermissionChanged {
        user: Option<UserId>,
        team: Option<TeamId>,
        before: Option<Role>,
        after: Option<Role>,
    } = "site.permission.changed": "The access of a user or a team to a site was changed" => Site;
    SiteSpaceAdded {
        site_space: SiteSpaceId,
        #[serde(default)]
        after: Option<SiteSpaceSettings>,
    } = "site.space.added": "A space was added to a site" => Site;
    SiteSpaceRemoved {
        site_space: SiteSpaceId,
        #[serde(default)]
        before: Option<SiteSpaceSettings>,
    } = "site.space.removed": "A space was removed from a site" => Site;
    SiteShareLinkCreated { share_link: SiteShareLinkId, name: String }
        = "site.share-link.created": "A share link of a site was created" => Site, name;
    SiteShareLinkUpdated { share_link: SiteShareLinkId, name: String, changes: Vec<FieldChange> }
        = "site.share-link.updated":
        "A share link of a site was renamed, revoked or activated" => Site, name;
    SiteShareLinkDeleted { share_link: SiteShareLinkId, name: String }
        = "site.share-link.deleted": "A share link of a site was deleted" => Site, name;
    SitePublishingAuthUpdated { changes: Vec<FieldChange> }
        = "site.publishing-auth.updated":
        "The visitor authentication of a site was changed" => Site;
    SitePublishingAuthKeyRegenerated
        = "site.publishing-auth.key-regenerated":
        "The key that signs visitors in to a site was replaced" => Site;
    SiteAdsUpdated { status: String, topic: String }
        = "site.ads.updated": "The ads of a site were submitted, reviewed or stopped" => Site, topic;
    SiteAdaptiveSchemaUpdated
        = "site.adaptive-schema.updated":
        "The schema of the claims of a site's visitors was changed" => Site;
    SiteCustomizationUpdated { fields: Vec<String> }
        = "site.customization.updated": "The customization of a site was changed" => Site;
    SiteSpaceCustomizationUpdated { site_space: SiteSpaceId, fields: Vec<String> }
        = "site.space-customization.updated":
        "A site space overrode the customization of its site" => Site;
    SiteSpaceCustomizationDeleted { site_space: SiteSpaceId }
        = "site.space-customization.deleted":
        "A site space returned to the customization of its site" => Site;
    SiteSpaceUpdated { site_space: SiteSpaceId, fields: Vec<String> }
        = "site.space.updated": "A space of a site was changed" => Site;
    SiteSectionAdded { section: SiteSectionId, title: String }
        = "site.section.added": "A section was added to a site" => Site, title;
    SiteSectionUpdated { section: SiteSectionId, fields: Vec<String> }
        = "site.section.updated": "A section of a site was changed" => Site;
    SiteSectionRemoved { section: SiteSectionId, title: String }
        = "site.section.removed": "A section was removed from a site" => Site, title;
    SiteSectionGroupAdded { group: SiteSectionGroupId, title: String }
        = "site.section-group.added": "A section group was added to a site" => Site, title;
    SiteSectionGroupUpdated { group: SiteSectionGroupId, fields: Vec<String> }
        = "site.section-group.updated": "A section group of a site was changed" => Site;
    SiteSectionGroupRemoved { group: SiteSectionGroupId, title: String }
        = "site.section-group.removed": "A section group was removed from a site" => Site, title;
    SiteExternalLinkAdded { link: SiteExternalLinkId, title: String }
        = "site.external-link.added": "An external link was added to a site" => Site, title;
    SiteExternalLinkUpdated { link: SiteExternalLinkId, fields: Vec<String> }
        = "site.external-link.updated": "An external link of a site was changed" => Site;
    SiteExternalLinkRemoved { link: SiteExternalLinkId, title: String }
        = "site.external-link.removed": "An external link was removed from a site" => Site, title;
    PageFeedbackDeleted { feedback: PageFeedbackId }
        = "site.page-feedback.deleted": "Feedback of a reader on a page of a site was deleted" => Site;
    SiteRedirectCreated { redirect: SiteRedirectId, source: String, draft: bool }
        = "site.redirect.created": "A redirect of a site was created" => Site, source;
    SiteRedirectUpdated { redirect: SiteRedirectId, source: String, changes: Vec<FieldChange> }
        = "site.redirect.updated": "A redirect of a site was changed" => Site, source;
    SiteRedirectPublished { redirect: SiteRedirectId, source: String }
        = "site.redirect.published": "A draft of a redirect was put into effect" => Site, source;
    SiteRedirectDeleted { redirect: SiteRedirectId, source: String, draft: bool }
        = "site.redirect.deleted": "A redirect of a site was deleted" => Site, source;
    CustomFontCreated { font: CustomFontId, family: String, weights: Vec<i64> }
        = "font.created": "A custom font was created" => Organization, family;
    CustomFontUpdated { font: CustomFontId, family: String, weights: Vec<i64> }
        = "font.updated": "A custom font was changed" => Organization, family;
    CustomFontDeleted { font: CustomFontId, family: String }
        = "font.deleted": "A custom font was deleted" => Organization, family;
    OpenApiSpecCreated { spec: OpenApiSpecId, slug: String }
        = "openapi.created": "An OpenAPI specification was added" => Organization, slug;
    OpenApiSpecSourceUpdated { spec: OpenApiSpecId, slug: String }
        = "openapi.source.updated": "The source of an OpenAPI specification was set or read again"
        => Organization, slug;
    OpenApiSpecVisibilityUpdated { spec: OpenApiSpecId, slug: String, visibility: OpenApiVisibility }
        = "openapi.visibility.updated": "The visibility of an OpenAPI specification was changed"
        => Organization, slug;
    OpenApiSpecDeleted { spec: OpenApiSpecId, slug: String }
        = "openapi.deleted": "An OpenAPI specification was deleted" => Organization, slug;
    OpenApiOverlaysUpdated { spec: OpenApiSpecId, slug: String, overlays: u32 }
        = "openapi.overlays.updated": "The overlays of an OpenAPI specification were set"
        => Organization, slug;
    OpenApiHookCreated { spec: OpenApiSpecId, slug: String }
        = "openapi.hook.created": "An OpenAPI specification got a hook with a new token"
        => Organization, slug;
    OpenApiHookDeleted { spec: OpenApiSpecId, slug: String }
        = "openapi.hook.deleted": "The hook of an OpenAPI specification was deleted"
        => Organization, slug;
    OpenApiVersionCompared {
        spec: OpenApiSpecId,
        slug: String,
        version: OpenApiVersionId,
        breaking: u32,
        warnings: u32,
        infos: u32,
    }
        = "openapi.version.compared":
        "A version of an OpenAPI specification was compared with the one before it"
        => Organization, slug;
    ComputedPagesUpdated = unaudited;
    OpenApiVersionCreated { spec: OpenApiSpecId, version: OpenApiVersionId } = unaudited;
    OpenApiCurrentVersionChanged { spec: OpenApiSpecId } = unaudited;
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use super::AuditAction;

    /// With `BINDERY_WRITE=1` the test writes the table of the page instead of comparing it.
    #[test]
    fn the_manual_lists_all_actions() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/audit.md");
        let page = fs::read_to_string(path).unwrap();
        let head = "| action | what happened |\n|---|---|\n";
        let (before, rest) = page.split_once(head).unwrap();
        let (_, after) = rest.split_once("\n\n").unwrap();
        let row = |action: &AuditAction| format!("| `{}` | {} |", action.as_str(), action.label());
        let rows: Vec<String> = AuditAction::ALL.iter().map(row).collect();
        let expect = format!("{before}{head}{}\n\n{after}", rows.join("\n"));
        if env::var_os("BINDERY_WRITE").is_some() {
            fs::write(path, &expect).unwrap();
        }
        assert!(
            page == expect || env::var_os("BINDERY_WRITE").is_some(),
            "{path} is out of date: run the test with BINDERY_WRITE=1, and review the change"
        );
    }
}
