//! Errors of remote repositories. Their messages are shown with the job, so they contain neither
//! credentials nor paths of this machine.

/// A failed fetch.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GitError {
    /// Refused by the outbound guard, or failed in name resolution, on the network or in HTTP.
    #[error("{0}")]
    Transport(#[from] bindery_outbound::Error),
    /// The address leads to something other than a Git repository.
    #[error("{remote} is not a Git repository: {reason}")]
    NotARepository {
        /// The address without credentials.
        remote: String,
        /// The observation that led to this conclusion.
        reason: String,
    },
    /// The server responded with 401 or 403.
    #[error("{remote} {}", credentials_problem(*.given))]
    NeedsCredentials {
        /// The address without credentials.
        remote: String,
        /// `true` if credentials were sent.
        given: bool,
    },
    /// The server responded with an error of its own.
    #[error("the server of {remote} answered {status}")]
    Server {
        /// The address without credentials.
        remote: String,
        /// The HTTP status.
        status: u16,
    },
    /// The server refused the request in Git's protocol.
    #[error("the server of {remote} refused: {message}")]
    Refused {
        /// The address without credentials.
        remote: String,
        /// The server's message, shortened and without control characters.
        message: String,
    },
    /// The server of the repository does not transfer files in Git LFS, or refuses one.
    #[error("files of {remote} cannot be transferred with Git LFS: {reason}")]
    LargeFiles {
        /// The address without credentials.
        remote: String,
        /// The reason, which may contain a message of the server.
        reason: String,
    },
    /// The repository does not have the requested ref.
    #[error("{name} does not exist in {remote}{}", existing_refs(.existing))]
    NoSuchRef {
        /// The address without credentials.
        remote: String,
        /// The requested ref.
        name: String,
        /// Some refs that exist.
        existing: Vec<String>,
    },
    /// The repository has no refs.
    #[error("{remote} is empty: it has no commits")]
    Empty {
        /// The address without credentials.
        remote: String,
    },
    /// The ref points to an object other than a commit.
    #[error("{name} of {remote} does not point to a commit")]
    NotACommit {
        /// The address without credentials.
        remote: String,
        /// The requested ref.
        name: String,
    },
    /// The server sent a malformed response.
    #[error("{remote} sent an invalid response: {reason}")]
    Protocol {
        /// The address without credentials.
        remote: String,
        /// The defect of the response.
        reason: String,
    },
    /// The repository exceeds a limit of this server.
    #[error("{remote} exceeds a limit of this server: {limit}")]
    Limit {
        /// The address without credentials.
        remote: String,
        /// The exceeded limit with its value.
        limit: String,
    },
    /// The fetch exceeded its time limit.
    #[error("fetching {remote} took longer than {seconds} seconds")]
    Time {
        /// The address without credentials.
        remote: String,
        /// The limit in seconds.
        seconds: u64,
    },
    /// The caller cancelled the fetch.
    #[error("the fetch was cancelled")]
    Cancelled,
    /// An object of the commit is missing or damaged.
    #[error("the local copy of {remote} is damaged: {reason}")]
    Damaged {
        /// The address without credentials.
        remote: String,
        /// The defect.
        reason: String,
    },
    /// Writing to the local disk failed.
    #[error("the local copy of {remote} cannot be written: {reason}")]
    Disk {
        /// The address without credentials.
        remote: String,
        /// The kind of the system's error.
        reason: String,
    },
}

impl GitError {
    /// Returns `true` if another attempt may succeed.
    pub const fn is_temporary(&self) -> bool {
        use bindery_outbound::Error as Outbound;
        match self {
            Self::Transport(error) => !matches!(
                error,
                Outbound::Refused(_) | Outbound::Cancelled | Outbound::HostKey { .. }
            ),
            Self::Server { status, .. } => *status >= 500 || *status == 429,
            Self::Damaged { .. } | Self::Disk { .. } => true,
            _ => false,
        }
    }
}

fn credentials_problem(given: bool) -> &'static str {
    if given {
        "does not exist or does not accept these credentials"
    } else {
        "does not exist or needs credentials"
    }
}

fn existing_refs(existing: &[String]) -> String {
    if existing.is_empty() { String::new() } else { format!("; there are {}", existing.join(", ")) }
}
