//! Failures of exchanges with a Git hosting service.

use bindery_outbound::{Error as OutboundError, Url};
use bindery_store::{JobError, Retry};

use crate::jobs::JobFailure;

/// A failed exchange. Its message names the host, and no secrets.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(in crate::content) enum HostingError {
    /// No answer arrived.
    #[error(transparent)]
    Unreachable(#[from] OutboundError),
    /// The service does not accept the token, or the token does not permit the request.
    #[error("{host} refuses the token with the status {status}")]
    Refused {
        /// The host.
        host: String,
        /// The status: 401 or 403.
        status: u16,
    },
    /// The repository or the thing in it does not exist, or the token does not show it.
    #[error("{host} knows nothing at this address, or does not show it to the owner of the token")]
    Missing {
        /// The host.
        host: String,
    },
    /// The service accepts no more requests for a while.
    #[error("{host} permits no more requests for now")]
    RateLimited {
        /// The host.
        host: String,
        /// Seconds after which the service accepts requests again, if it names them.
        retry_after: Option<u64>,
    },
    /// The answer has another unexpected status.
    #[error("{host} answers with the status {status}{}", reason_part(reason))]
    Status {
        /// The host.
        host: String,
        /// The status.
        status: u16,
        /// The explanation of the service; empty if there is none.
        reason: String,
    },
    /// The answer is not what the interface of the service promises.
    #[error("{host} answers with something else than {expected}")]
    Answer {
        /// The host.
        host: String,
        /// The expected value.
        expected: &'static str,
    },
}

fn reason_part(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}

impl HostingError {
    /// Returns the code of the failure for errors of jobs.
    pub(in crate::content) const fn code(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "unreachable",
            Self::Refused { .. } => "needs-credentials",
            Self::RateLimited { .. } => "rate-limited",
            Self::Missing { .. } | Self::Status { .. } | Self::Answer { .. } => "remote",
        }
    }

    /// Returns `true` if the same request can succeed later.
    pub(in crate::content) const fn is_temporary(&self) -> bool {
        match self {
            Self::Unreachable(error) => !matches!(error, OutboundError::Refused(_)),
            Self::RateLimited { .. } => true,
            Self::Status { status, .. } => *status >= 500,
            Self::Refused { .. } | Self::Missing { .. } | Self::Answer { .. } => false,
        }
    }

    /// Returns the failure of an answer from `url` that is not what `expected` names.
    pub(in crate::content) fn answer(url: &Url, expected: &'static str) -> Self {
        Self::Answer { host: host(url), expected }
    }
}

impl From<HostingError> for JobFailure {
    fn from(error: HostingError) -> Self {
        let retry = if error.is_temporary() { Retry::Later } else { Retry::Never };
        let failure = JobError { code: error.code().to_owned(), message: error.to_string() };
        Self::Failed(failure, retry)
    }
}

/// Returns the host of an address, which unlike the rest of it contains no secrets.
pub(in crate::content) fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}
