//! Mapping from events to the actions and targets of audit events.

use bindery_model::AuditTargetKind;

use crate::events::{Event, NewEvent};

macro_rules! actions {
    ($($name:ident = $text:literal, $label:literal;)*) => {
        /// The action of an audit event, as in the API contract's list of actions.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[expect(missing_docs, reason = "each has its label")]
        pub enum AuditAction {
            $($name,)*
        }

        impl AuditAction {
            /// All actions, in the order of the list.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the action's id in requests and responses.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// Returns a description for people.
            pub const fn label(self) -> &'static str {
                match self {
                    $(Self::$name => $label,)*
                }
            }
        }
    };
}

actions! {
    OrganizationCreated = "organization.created", "An organization was created";
    OrganizationUpdated = "organization.updated", "An organization's settings were changed";
    AgentInstructionsUpdated = "organization.agent-instructions.updated",
        "An organization's instructions for agents were changed";
    MemberAdded = "member.added", "A member was added";
    MemberUpdated = "member.updated", "A member's role or state was changed";
    MemberRemoved = "member.removed", "A member was removed";
    InviteLinkCreated = "invite-link.created", "An invite link was created";
    InviteLinkUpdated = "invite-link.updated", "The access that an invite link grants was changed";
    InviteLinkRevoked = "invite-link.revoked", "An invite link was revoked";
    InvitationCreated = "invitation.created", "A person was invited";
    InvitationAccepted = "invitation.accepted", "An invitation was accepted";
    InvitationRevoked = "invitation.revoked", "An invitation was revoked";
    TeamCreated = "team.created", "A team was created";
    TeamUpdated = "team.updated", "A team's settings were changed";
    TeamMembersUpdated = "team.members.updated", "The members of a team were changed";
    TeamDeleted = "team.deleted", "A team was deleted with its grants";
    TokenCreated = "token.created", "A token with access to the organization was created";
    TokenRevoked = "token.revoked", "A token was revoked";
    SessionBegun = "session.begun", "A user signed in with a browser";
    SessionEnded = "session.ended", "A browser session was ended";
    SignInFailed = "user.sign_in_failed", "A sign-in failed because of a wrong password";
    PasswordSet = "password.set", "A user set their password";
    PasswordRemoved = "password.removed", "A user's password was removed";
    SpaceCreated = "space.created", "A space was created";
    SpaceUpdated = "space.updated", "A space's settings were changed";
    SpaceDuplicated = "space.duplicated", "A space was created as a copy of another";
    SpaceDeleted = "space.deleted", "A space was deleted";
    SpaceRestored = "space.restored", "A deleted space was restored";
    SpaceRemoved = "space.removed", "A deleted space was removed permanently";
    SpaceMoved = "space.moved", "A space was moved within its organization";
    SpaceTransferred = "space.transferred", "A space was transferred to another organization";
    SpaceContentUpdated = "space.content.updated", "The main content of a space was changed";
    ChangeRequestMerged = "change-request.merged", "A change request was merged";
    CollectionCreated = "collection.created", "A collection was created";
    CollectionUpdated = "collection.updated", "A collection's settings were changed";
    CollectionMoved = "collection.moved", "A collection was moved within its organization";
    CollectionTransferred = "collection.transferred",
        "A collection was transferred to another organization";
    CollectionDeleted = "collection.deleted", "A collection was deleted";
    PermissionChanged = "permission.changed",
        "The access of a user or a team to a space or a collection was changed";
    SiteCreated = "site.created", "A site was created";
    SiteUpdated = "site.updated", "A site's settings were changed";
    SiteDeleted = "site.deleted", "A site was deleted";
    SitePublished = "site.published", "A site was published";
    SiteUnpublished = "site.unpublished", "A site was unpublished";
    SiteSpaceAdded = "site.space.added", "A space was added to a site";
    SiteSpaceRemoved = "site.space.removed", "A space was removed from a site";
}

impl AuditAction {
    /// Parses the action's id.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.as_str() == text)
    }
}

/// The target of an action.
pub(super) struct AuditTarget {
    pub(super) kind: AuditTargetKind,
    pub(super) id: String,
    pub(super) label: Option<String>,
}

fn target(kind: AuditTargetKind, id: impl ToString) -> AuditTarget {
    AuditTarget { kind, id: id.to_string(), label: None }
}

impl AuditTarget {
    fn with_label(self, label: &str) -> Self {
        Self { label: Some(label.to_owned()), ..self }
    }
}

/// Returns the action and the target of an event. Returns `None` if the event changes no access,
/// tokens or settings and publishes nothing.
pub(super) fn audit_action(new: &NewEvent) -> Option<(AuditAction, AuditTarget)> {
    use AuditAction as Action;
    use AuditTargetKind as Kind;

    let space = |action| Some((action, target(Kind::Space, new.space?)));
    let site = |action| Some((action, target(Kind::Site, new.site?)));
    match &new.event {
        Event::OrganizationCreated { title } => {
            let target = target(Kind::Organization, new.organization?).with_label(title);
            Some((Action::OrganizationCreated, target))
        }
        Event::OrganizationUpdated { .. } => {
            Some((Action::OrganizationUpdated, target(Kind::Organization, new.organization?)))
        }
        Event::AgentInstructionsUpdated { .. } => {
            Some((Action::AgentInstructionsUpdated, target(Kind::Organization, new.organization?)))
        }
        Event::MemberAdded { user, .. } => Some((Action::MemberAdded, target(Kind::User, user))),
        Event::MemberUpdated { user, .. } => {
            Some((Action::MemberUpdated, target(Kind::User, user)))
        }
        Event::MemberRemoved { user, .. } => {
            Some((Action::MemberRemoved, target(Kind::User, user)))
        }
        Event::InviteLinkCreated { link, .. } => {
            Some((Action::InviteLinkCreated, target(Kind::InviteLink, link)))
        }
        Event::InviteLinkUpdated { link, .. } => {
            Some((Action::InviteLinkUpdated, target(Kind::InviteLink, link)))
        }
        Event::InviteLinkRevoked { link, .. } => {
            Some((Action::InviteLinkRevoked, target(Kind::InviteLink, link)))
        }
        Event::InvitationCreated { invitation, email, .. } => Some((
            Action::InvitationCreated,
            target(Kind::Invitation, invitation).with_label(email),
        )),
        Event::InvitationAccepted { invitation, .. } => {
            Some((Action::InvitationAccepted, target(Kind::Invitation, invitation)))
        }
        Event::InvitationRevoked { invitation, email } => Some((
            Action::InvitationRevoked,
            target(Kind::Invitation, invitation).with_label(email),
        )),
        Event::TeamCreated { team, title, .. } => {
            Some((Action::TeamCreated, target(Kind::Team, team).with_label(title)))
        }
        Event::TeamUpdated { team, after, .. } => {
            Some((Action::TeamUpdated, target(Kind::Team, team).with_label(&after.title)))
        }
        Event::TeamMembersUpdated { team, .. } => {
            Some((Action::TeamMembersUpdated, target(Kind::Team, team)))
        }
        Event::TeamDeleted { team, title, .. } => {
            Some((Action::TeamDeleted, target(Kind::Team, team).with_label(title)))
        }
        Event::TokenCreated { token, name, .. } => {
            Some((Action::TokenCreated, target(Kind::Token, token).with_label(name)))
        }
        Event::TokenRevoked { token, name, .. } => {
            Some((Action::TokenRevoked, target(Kind::Token, token).with_label(name)))
        }
        Event::SessionBegun { session, .. } => {
            Some((Action::SessionBegun, target(Kind::Session, session)))
        }
        Event::SessionEnded { session, .. } => {
            Some((Action::SessionEnded, target(Kind::Session, session)))
        }
        Event::SignInFailed { user, .. } => Some((Action::SignInFailed, target(Kind::User, user))),
        Event::PasswordSet { user } => Some((Action::PasswordSet, target(Kind::User, user))),
        Event::PasswordRemoved { user } => {
            Some((Action::PasswordRemoved, target(Kind::User, user)))
        }
        Event::SpaceCreated { title } => {
            let (action, target) = space(Action::SpaceCreated)?;
            Some((
                action,
                match title {
                    Some(title) => target.with_label(title),
                    None => target,
                },
            ))
        }
        Event::SpaceUpdated { .. } => space(Action::SpaceUpdated),
        Event::SpaceDuplicated { .. } => space(Action::SpaceDuplicated),
        Event::SpaceDeleted => space(Action::SpaceDeleted),
        Event::SpaceRestored => space(Action::SpaceRestored),
        Event::SpaceRemoved => space(Action::SpaceRemoved),
        Event::SpaceMoved { .. } => space(Action::SpaceMoved),
        Event::SpaceTransferred { .. } => space(Action::SpaceTransferred),
        Event::CollectionCreated { collection, title } => Some((
            Action::CollectionCreated,
            target(Kind::Collection, collection).with_label(title),
        )),
        Event::CollectionUpdated { collection, after, .. } => Some((
            Action::CollectionUpdated,
            target(Kind::Collection, collection).with_label(&after.title),
        )),
        Event::CollectionMoved { collection, .. } => {
            Some((Action::CollectionMoved, target(Kind::Collection, collection)))
        }
        Event::CollectionTransferred { collection, .. } => {
            Some((Action::CollectionTransferred, target(Kind::Collection, collection)))
        }
        Event::CollectionDeleted { collection, title } => Some((
            Action::CollectionDeleted,
            target(Kind::Collection, collection).with_label(title),
        )),
        Event::PermissionChanged { collection: Some(collection), .. } => {
            Some((Action::PermissionChanged, target(Kind::Collection, collection)))
        }
        Event::PermissionChanged { collection: None, .. } => space(Action::PermissionChanged),
        Event::RevisionCreated { .. } => space(Action::SpaceContentUpdated),
        Event::ChangeRequestMerged { change_request, .. } => {
            Some((Action::ChangeRequestMerged, target(Kind::ChangeRequest, change_request)))
        }
        Event::SiteCreated { title } => {
            let (action, target) = site(Action::SiteCreated)?;
            Some((action, target.with_label(title)))
        }
        Event::SiteUpdated { .. } => site(Action::SiteUpdated),
        Event::SiteDeleted => site(Action::SiteDeleted),
        Event::SitePublished => site(Action::SitePublished),
        Event::SiteUnpublished => site(Action::SiteUnpublished),
        Event::SiteSpaceAdded { .. } => site(Action::SiteSpaceAdded),
        Event::SiteSpaceRemoved { .. } => site(Action::SiteSpaceRemoved),
        // A new user joins an organization by becoming a member, and proposals and comments change
        // nothing that readers see.
        Event::UserCreated { .. }
        | Event::UserUpdated { .. }
        | Event::UserVerified { .. }
        | Event::ChangeRequestCreated { .. }
        | Event::ChangeRequestUpdated { .. }
        | Event::ChangeRequestContentUpdated { .. }
        | Event::ReviewSubmitted { .. }
        | Event::ReviewerRequested { .. }
        | Event::ReviewerRemoved { .. }
        | Event::CommentPosted { .. }
        | Event::CommentUpdated { .. }
        | Event::CommentResolved { .. }
        | Event::CommentReopened { .. }
        | Event::CommentDeleted { .. }
        | Event::CommentReplyPosted { .. }
        | Event::CommentReplyUpdated { .. }
        | Event::CommentReplyDeleted { .. }
        | Event::ImportStarted { .. }
        | Event::ImportFinished { .. }
        | Event::ImportFailed { .. } => None,
    }
}
