//! What can go wrong with a remote repository, in words that go onto the job as they are: no
//! credentials, no paths of this machine.

/// A failed fetch.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GitError {
    /// The guard, the name service, the network or the other side's HTTP.
    #[error("{0}")]
    Transport(#[from] bindery_outbound::Error),
    /// There is something, but no Git repository.
    #[error("{remote} is not a Git repository: {reason}")]
    NotARepository {
        /// The address without credentials.
        remote: String,
        /// How it was seen.
        reason: String,
    },
    /// 401 or 403.
    #[error("{remote} {}", credentials_problem(*.given))]
    NeedsCredentials {
        /// The address without credentials.
        remote: String,
        /// Whether credentials were sent.
        given: bool,
    },
    /// The server of the repository has a problem of its own.
    #[error("the server of {remote} answered {status}")]
    Server {
        /// The address without credentials.
        remote: String,
        /// The HTTP status.
        status: u16,
    },
    /// The server said no in Git's own protocol.
    #[error("the server of {remote} refused: {message}")]
    Refused {
        /// The address without credentials.
        remote: String,
        /// Its words, shortened and without control characters.
        message: String,
    },
    /// The repository has other refs.
    #[error("{name} does not exist in {remote}{}", there_are(.existing))]
    NoSuchRef {
        /// The address without credentials.
        remote: String,
        /// The ref that was asked for.
        name: String,
        /// A few that exist.
        existing: Vec<String>,
    },
    /// The repository has no refs at all.
    #[error("{remote} is empty: it has no commits")]
    Empty {
        /// The address without credentials.
        remote: String,
    },
    /// The ref leads to something that is no commit.
    #[error("{name} of {remote} does not lead to a commit")]
    NotACommit {
        /// The address without credentials.
        remote: String,
        /// The ref that was asked for.
        name: String,
    },
    /// What was sent makes no sense.
    #[error("{remote} sent something that cannot be understood: {reason}")]
    Protocol {
        /// The address without credentials.
        remote: String,
        /// What is wrong with it.
        reason: String,
    },
    /// More than this server takes.
    #[error("{remote} is larger than this server takes: {limit}")]
    Limit {
        /// The address without credentials.
        remote: String,
        /// Which limit, with its value.
        limit: String,
    },
    /// The time for a fetch is over.
    #[error("fetching {remote} took longer than {seconds} seconds")]
    Time {
        /// The address without credentials.
        remote: String,
        /// The limit.
        seconds: u64,
    },
    /// Somebody cancelled it.
    #[error("the fetch was cancelled")]
    Cancelled,
    /// An object that the commit needs is missing or damaged.
    #[error("the local copy of {remote} is damaged: {reason}")]
    Damaged {
        /// The address without credentials.
        remote: String,
        /// What is missing.
        reason: String,
    },
    /// The disk of this machine.
    #[error("the local copy of {remote} cannot be written: {reason}")]
    Disk {
        /// The address without credentials.
        remote: String,
        /// What the system said.
        reason: String,
    },
}

impl GitError {
    /// Whether trying again later may help.
    pub const fn is_temporary(&self) -> bool {
        use bindery_outbound::Error as Outbound;
        match self {
            Self::Transport(error) => !matches!(error, Outbound::Refused(_) | Outbound::Cancelled),
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

fn there_are(existing: &[String]) -> String {
    if existing.is_empty() { String::new() } else { format!("; there are {}", existing.join(", ")) }
}
