//! The settings and states of the continuous synchronisation of a space with a branch.

use crate::GitProvider;

crate::closed_set! {
    /// The direction in which changes are transferred.
    GitSyncDirection {
        /// Changes of both sides are transferred to the other.
        Both = "both",
        /// Changes of the branch are imported.
        Import = "import",
        /// Changes of the space are exported.
        Export = "export",
    }
}

crate::closed_set! {
    /// The side whose content the other one gets in the first run.
    GitSyncStart {
        /// The content of the branch replaces that of the space.
        Import = "import",
        /// The content of the space is written over the branch.
        Export = "export",
    }
}

crate::closed_set! {
    /// The kind of a change that a run would make.
    GitSyncChangeKind {
        /// The item is new.
        Added = "added",
        /// The content or the attributes of the item change.
        Modified = "modified",
        /// The item is deleted.
        Removed = "removed",
        /// The file gets another path.
        Renamed = "renamed",
        /// The page gets another parent.
        Moved = "moved",
    }
}

crate::closed_set! {
    /// The kind of the credentials of a repository.
    GitCredentialsKind {
        /// No credentials.
        None = "none",
        /// An access token.
        Token = "token",
        /// A user name and a password.
        Basic = "basic",
        /// A private key for SSH.
        Ssh = "ssh",
    }
}

crate::closed_set! {
    /// The reaction to a branch whose new commit does not descend from the last known one.
    RewrittenHistory {
        /// The content of the new commit is imported like any other.
        Merge = "merge",
        /// The synchronisation pauses until somebody resumes it.
        Pause = "pause",
    }
}

crate::closed_set! {
    /// The state of a synchronisation.
    GitSyncStatus {
        /// The last run succeeded, or there was none yet.
        Active = "active",
        /// The last run or check failed. It is tried again.
        Failed = "failed",
        /// Both sides changed the same lines. Nothing is exported until that is resolved.
        Conflict = "conflict",
        /// Nothing happens until somebody resumes it.
        Paused = "paused",
    }
}

crate::closed_set! {
    /// The reason why a synchronisation is paused.
    GitSyncPause {
        /// A person paused it.
        Manual = "manual",
        /// The Git server refused the credentials too often.
        Authentication = "authentication",
        /// The history of the branch was rewritten.
        RewrittenHistory = "rewritten-history",
    }
}

crate::closed_set! {
    /// The cause of a run.
    GitSyncTrigger {
        /// A check found a new commit, or a failed run is tried again.
        Poll = "poll",
        /// The Git server reported a push.
        Webhook = "webhook",
        /// The main content of the space changed.
        Merge = "merge",
        /// A change request changed.
        ChangeRequest = "change-request",
        /// A person started it.
        Manual = "manual",
    }
}

crate::closed_set! {
    /// The state of a run.
    GitSyncRunState {
        /// It has not ended.
        Running = "running",
        /// It succeeded.
        Done = "done",
        /// Both sides changed the same lines.
        Conflict = "conflict",
        /// It failed.
        Failed = "failed",
    }
}

crate::closed_set! {
    /// The way in which change requests are written to the repository.
    ChangeRequestExport {
        /// Only change requests that began as branches are written, to their branches.
        None = "none",
        /// Each change request becomes a branch.
        Branch = "branch",
        /// Each change request becomes a branch and a pull request of it.
        PullRequest = "pull-request",
    }
}

crate::closed_set! {
    /// A Git hosting service whose interface the server uses.
    HostingService {
        /// GitHub, or a GitHub Enterprise Server.
        Github = "github",
        /// GitLab.
        Gitlab = "gitlab",
        /// Gitea or Forgejo.
        Gitea = "gitea",
    }
}

impl From<GitProvider> for HostingService {
    fn from(provider: GitProvider) -> Self {
        match provider {
            GitProvider::Github => Self::Github,
            GitProvider::Gitlab => Self::Gitlab,
        }
    }
}
