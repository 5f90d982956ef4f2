//! The kinds of jobs.

crate::closed_set! {
    /// The kind of a job.
    JobKind {
        /// Imports content from a Git repository.
        GitImport = "git-import",
        /// Imports content from an archive.
        ArchiveImport = "archive-import",
        /// Exports content to a Git repository.
        GitExport = "git-export",
        /// Synchronises a space with a branch of a Git repository.
        GitSync = "git-sync",
        /// Registers or removes the webhook of an installation at a Git hosting service.
        GitWebhook = "git-webhook",
        /// Finds out what a synchronisation would change.
        GitSyncDryRun = "git-sync-dry-run",
        /// Sends the mail of an invitation.
        InvitationMail = "invitation-mail",
        /// Sends the mail with a sign-in link.
        SignInMail = "sign-in-mail",
        /// Sends the mail of notifications.
        NotificationMail = "notification-mail",
        /// Makes a PDF of a space.
        Pdf = "pdf",
        /// Fetches the titles and pictures of embedded addresses.
        EmbedDescriptions = "embed-descriptions",
        /// Reads an OpenAPI specification from its source.
        OpenApi = "openapi",
        /// Compares a version of an OpenAPI specification with the one before it.
        OpenApiComparison = "openapi-comparison",
    }
}

impl JobKind {
    /// Returns `true` if the job imports content into a space.
    pub const fn is_import(self) -> bool {
        match self {
            Self::GitImport | Self::ArchiveImport => true,
            Self::GitExport
            | Self::GitSync
            | Self::GitWebhook
            | Self::GitSyncDryRun
            | Self::InvitationMail
            | Self::SignInMail
            | Self::NotificationMail
            | Self::Pdf
            | Self::EmbedDescriptions
            | Self::OpenApi
            | Self::OpenApiComparison => false,
        }
    }
}
