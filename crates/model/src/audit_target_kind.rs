//! The kinds of targets of audit events.

crate::closed_set! {
    /// The kind of the target of an audit event.
    AuditTargetKind {
        /// An organization.
        Organization = "organization",
        /// A user.
        User = "user",
        /// An invite link, named by the beginning of its id.
        InviteLink = "invite-link",
        /// An invitation.
        Invitation = "invitation",
        /// A team.
        Team = "team",
        /// A token.
        Token = "token",
        /// A browser session.
        Session = "session",
        /// A space.
        Space = "space",
        /// A collection.
        Collection = "collection",
        /// A change request.
        ChangeRequest = "change-request",
        /// A site.
        Site = "site",
        /// An installation of a Git hosting service.
        GitInstallation = "git-installation",
    }
}
