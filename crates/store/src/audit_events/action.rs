//! Which events administrators can look up, what they are called there, and what they are about.

use crate::events::{Event, NewEvent};

macro_rules! actions {
    ($($name:ident = $text:literal, $label:literal;)*) => {
        /// What was done, as the contract's list of actions names it.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[expect(missing_docs, reason = "each has its label")]
        pub enum AuditAction {
            $($name,)*
        }

        impl AuditAction {
            /// All, in the order in which they are listed.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The id in requests and answers.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// The words for people.
            pub const fn label(self) -> &'static str {
                match self {
                    $(Self::$name => $label,)*
                }
            }
        }
    };
}

actions! {
    OrganizationCreated = "organization.created", "An organization was made";
    OrganizationUpdated = "organization.updated", "An organization's settings were changed";
    AgentInstructionsUpdated = "organization.agent-instructions.updated",
        "What an organization asks of agents was changed";
    MemberAdded = "member.added", "Somebody became a member";
    MemberUpdated = "member.updated", "A member's role or state was changed";
    MemberRemoved = "member.removed", "Somebody is no member any more";
    InviteLinkCreated = "invite-link.created", "A link that lets people in was made";
    InviteLinkUpdated = "invite-link.updated", "What a link gives to whoever follows it was changed";
    InviteLinkRevoked = "invite-link.revoked", "A link that lets people in was taken back";
    InvitationCreated = "invitation.created", "Somebody was invited";
    InvitationAccepted = "invitation.accepted", "Somebody followed an invitation";
    InvitationRevoked = "invitation.revoked", "An invitation was taken back";
    TeamCreated = "team.created", "A team was made";
    TeamUpdated = "team.updated", "A team's settings were changed";
    TeamMembersUpdated = "team.members.updated", "Who is in a team was changed";
    TeamDeleted = "team.deleted", "A team was removed with what it was granted";
    TokenCreated = "token.created", "A token was made that reaches the organization";
    TokenRevoked = "token.revoked", "A token was revoked";
    SessionBegun = "session.begun", "Somebody signed in with a browser";
    SessionEnded = "session.ended", "A session of a browser was ended";
    SignInFailed = "user.sign_in_failed", "Somebody tried to sign in with a wrong password";
    PasswordSet = "password.set", "Somebody set their password";
    PasswordRemoved = "password.removed", "Somebody's password was removed";
    SpaceCreated = "space.created", "A space was made";
    SpaceUpdated = "space.updated", "A space's settings were changed";
    SpaceDuplicated = "space.duplicated", "A space was made as a copy of another";
    SpaceDeleted = "space.deleted", "A space was deleted";
    SpaceRestored = "space.restored", "A deleted space was brought back";
    SpaceRemoved = "space.removed", "A deleted space was removed for good";
    SpaceMoved = "space.moved", "A space was put elsewhere in its organization";
    SpaceTransferred = "space.transferred", "A space was given to another organization";
    SpaceContentUpdated = "space.content.updated", "The main content of a space was changed";
    ChangeRequestMerged = "change-request.merged", "A change request was merged";
    CollectionCreated = "collection.created", "A collection was made";
    CollectionUpdated = "collection.updated", "A collection's settings were changed";
    CollectionMoved = "collection.moved", "A collection was put elsewhere in its organization";
    CollectionTransferred = "collection.transferred",
        "A collection was given to another organization";
    CollectionDeleted = "collection.deleted", "A collection was deleted";
    PermissionChanged = "permission.changed",
        "What somebody or a team was granted on a space or a collection was changed";
    SiteCreated = "site.created", "A site was made";
    SiteUpdated = "site.updated", "A site's settings were changed";
    SiteDeleted = "site.deleted", "A site was deleted";
    SitePublished = "site.published", "A site was published";
    SiteUnpublished = "site.unpublished", "A site was taken back";
    SiteSpaceAdded = "site.space.added", "A space was put on a site";
    SiteSpaceRemoved = "site.space.removed", "A space was taken from a site";
}

impl AuditAction {
    /// Reads the id.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|action| action.as_str() == text)
    }
}

/// What something was done to.
pub(super) struct AuditTarget {
    pub(super) kind: &'static str,
    pub(super) id: String,
    pub(super) label: Option<String>,
}

fn target(kind: &'static str, id: impl ToString) -> AuditTarget {
    AuditTarget { kind, id: id.to_string(), label: None }
}

impl AuditTarget {
    fn called(self, label: &str) -> Self {
        Self { label: Some(label.to_owned()), ..self }
    }
}

/// What administrators are told of an event; `None` for what is no change of access, tokens or
/// settings and publishes nothing.
pub(super) fn audited(new: &NewEvent) -> Option<(AuditAction, AuditTarget)> {
    use AuditAction as Action;

    let space = |action| Some((action, target("space", new.space?)));
    let site = |action| Some((action, target("site", new.site?)));
    match &new.event {
        Event::OrganizationCreated { title } => {
            let target = target("organization", new.organization?).called(title);
            Some((Action::OrganizationCreated, target))
        }
        Event::OrganizationUpdated { .. } => {
            Some((Action::OrganizationUpdated, target("organization", new.organization?)))
        }
        Event::AgentInstructionsUpdated { .. } => {
            Some((Action::AgentInstructionsUpdated, target("organization", new.organization?)))
        }
        Event::MemberAdded { user, .. } => Some((Action::MemberAdded, target("user", user))),
        Event::MemberUpdated { user, .. } => Some((Action::MemberUpdated, target("user", user))),
        Event::MemberRemoved { user, .. } => Some((Action::MemberRemoved, target("user", user))),
        Event::InviteLinkCreated { link, .. } => {
            Some((Action::InviteLinkCreated, target("invite-link", link)))
        }
        Event::InviteLinkUpdated { link, .. } => {
            Some((Action::InviteLinkUpdated, target("invite-link", link)))
        }
        Event::InviteLinkRevoked { link, .. } => {
            Some((Action::InviteLinkRevoked, target("invite-link", link)))
        }
        Event::InvitationCreated { invitation, email, .. } => {
            Some((Action::InvitationCreated, target("invitation", invitation).called(email)))
        }
        Event::InvitationAccepted { invitation, .. } => {
            Some((Action::InvitationAccepted, target("invitation", invitation)))
        }
        Event::InvitationRevoked { invitation, email } => {
            Some((Action::InvitationRevoked, target("invitation", invitation).called(email)))
        }
        Event::TeamCreated { team, title, .. } => {
            Some((Action::TeamCreated, target("team", team).called(title)))
        }
        Event::TeamUpdated { team, after, .. } => {
            Some((Action::TeamUpdated, target("team", team).called(&after.title)))
        }
        Event::TeamMembersUpdated { team, .. } => {
            Some((Action::TeamMembersUpdated, target("team", team)))
        }
        Event::TeamDeleted { team, title, .. } => {
            Some((Action::TeamDeleted, target("team", team).called(title)))
        }
        Event::TokenCreated { token, name, .. } => {
            Some((Action::TokenCreated, target("token", token).called(name)))
        }
        Event::TokenRevoked { token, name, .. } => {
            Some((Action::TokenRevoked, target("token", token).called(name)))
        }
        Event::SessionBegun { session, .. } => {
            Some((Action::SessionBegun, target("session", session)))
        }
        Event::SessionEnded { session, .. } => {
            Some((Action::SessionEnded, target("session", session)))
        }
        Event::SignInFailed { user, .. } => Some((Action::SignInFailed, target("user", user))),
        Event::PasswordSet { user } => Some((Action::PasswordSet, target("user", user))),
        Event::PasswordRemoved { user } => Some((Action::PasswordRemoved, target("user", user))),
        Event::SpaceCreated { title } => {
            let (action, target) = space(Action::SpaceCreated)?;
            Some((
                action,
                match title {
                    Some(title) => target.called(title),
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
        Event::CollectionCreated { collection, title } => {
            Some((Action::CollectionCreated, target("collection", collection).called(title)))
        }
        Event::CollectionUpdated { collection, after, .. } => {
            Some((Action::CollectionUpdated, target("collection", collection).called(&after.title)))
        }
        Event::CollectionMoved { collection, .. } => {
            Some((Action::CollectionMoved, target("collection", collection)))
        }
        Event::CollectionTransferred { collection, .. } => {
            Some((Action::CollectionTransferred, target("collection", collection)))
        }
        Event::CollectionDeleted { collection, title } => {
            Some((Action::CollectionDeleted, target("collection", collection).called(title)))
        }
        Event::PermissionChanged { collection: Some(collection), .. } => {
            Some((Action::PermissionChanged, target("collection", collection)))
        }
        Event::PermissionChanged { collection: None, .. } => space(Action::PermissionChanged),
        Event::RevisionCreated { .. } => space(Action::SpaceContentUpdated),
        Event::ChangeRequestMerged { change_request, .. } => {
            Some((Action::ChangeRequestMerged, target("change-request", change_request)))
        }
        Event::SiteCreated { title } => {
            let (action, target) = site(Action::SiteCreated)?;
            Some((action, target.called(title)))
        }
        Event::SiteUpdated { .. } => site(Action::SiteUpdated),
        Event::SiteDeleted => site(Action::SiteDeleted),
        Event::SitePublished => site(Action::SitePublished),
        Event::SiteUnpublished => site(Action::SiteUnpublished),
        Event::SiteSpaceAdded { .. } => site(Action::SiteSpaceAdded),
        Event::SiteSpaceRemoved { .. } => site(Action::SiteSpaceRemoved),
        // People come into an organization by becoming members; what is proposed and said changes
        // nothing that anybody else reads.
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
