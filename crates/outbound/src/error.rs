//! Errors of outbound requests. Their messages contain no secrets and may be shown to the user who
//! caused the request.

use std::error::Error as StdError;
use std::fmt;
use std::io;

use crate::guard::Refusal;

/// The wait that timed out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Waiting for the connection.
    Connect,
    /// Waiting for more of the response.
    Read,
    /// Reaching the minimum rate of the response.
    Rate,
    /// The whole exchange.
    Total,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "did not accept the connection in time",
            Self::Read => "stopped sending",
            Self::Rate => "sent too few bytes for too long",
            Self::Total => "took longer than allowed for the whole exchange",
        })
    }
}

/// A failed outbound request. Messages name hosts, but never paths, queries or credentials.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// The guard does not permit the address.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The name is unknown, or the resolver does not answer.
    #[error("the host {host} cannot be found: {reason}")]
    Resolve {
        /// The name.
        host: String,
        /// The reason from the system.
        reason: String,
    },
    /// The host does not accept connections.
    #[error("{host} cannot be reached: {reason}")]
    Connect {
        /// Host and port.
        host: String,
        /// The reason from the system.
        reason: String,
    },
    /// No trusted TLS connection could be established.
    #[error("no secure connection to {host}: {reason}")]
    Tls {
        /// Host and port.
        host: String,
        /// The reason.
        reason: String,
    },
    /// The host does not accept the key of the caller.
    #[error("{host} does not accept this SSH key")]
    Denied {
        /// Host and port.
        host: String,
    },
    /// The host could not prove its identity over SSH.
    #[error("no secure connection to {host}: {reason}")]
    HostKey {
        /// Host and port.
        host: String,
        /// The reason.
        reason: String,
    },
    /// The host was too slow.
    #[error("{host} {phase}")]
    Timeout {
        /// Host and port.
        host: String,
        /// The wait that timed out.
        phase: Phase,
    },
    /// The connection ended before the response was complete.
    #[error("the connection to {host} was cut before the answer was complete")]
    Cut {
        /// Host and port.
        host: String,
    },
    /// The response is larger than the limit.
    #[error("the answer of {host} is larger than {limit} bytes")]
    TooLarge {
        /// Host and port.
        host: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// A redirect is invalid, or may not be followed.
    #[error("{host} redirects {problem}")]
    Redirect {
        /// Host and port.
        host: String,
        /// The problem with the redirect.
        problem: &'static str,
    },
    /// The caller cancelled the request.
    #[error("the request was cancelled")]
    Cancelled,
    /// The response is not HTTP, or this client has a defect.
    #[error("the exchange with {host} failed: {reason}")]
    Protocol {
        /// Host and port.
        host: String,
        /// The reason from the HTTP client.
        reason: String,
    },
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        // `Interrupted` is not used for a cancelled exchange, as readers would retry.
        let kind = match error {
            Error::Timeout { .. } => io::ErrorKind::TimedOut,
            Error::Cut { .. } => io::ErrorKind::UnexpectedEof,
            _ => io::ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}

impl Error {
    /// Finds an outbound error in the causes of a reader's error.
    pub fn within<'e>(error: &'e (dyn StdError + 'static)) -> Option<&'e Self> {
        find(error)
    }

    /// Translates an error of the HTTP client. `total` is `true` if the deadline of the whole
    /// exchange has passed.
    pub(crate) fn translate(host: &str, error: &reqwest::Error, total: bool) -> Self {
        let host = host.to_owned();
        if let Some(inner) = find::<Self>(error) {
            return inner.clone();
        }
        if error.is_timeout() {
            let phase = match (total, error.is_connect()) {
                (true, _) => Phase::Total,
                (false, true) => Phase::Connect,
                (false, false) => Phase::Read,
            };
            return Self::Timeout { host, phase };
        }
        if let Some(tls) = find::<rustls::Error>(error) {
            return Self::Tls { host, reason: tls.to_string() };
        }
        let system = find::<io::Error>(error);
        if error.is_connect() {
            let reason = match system.map(io::Error::kind) {
                Some(io::ErrorKind::ConnectionRefused) => "the connection was refused".to_owned(),
                _ => deepest(error),
            };
            return Self::Connect { host, reason };
        }
        let cut = find::<hyper::Error>(error).is_some_and(hyper::Error::is_incomplete_message)
            || system.is_some_and(|e| {
                matches!(
                    e.kind(),
                    io::ErrorKind::UnexpectedEof
                        | io::ErrorKind::ConnectionReset
                        | io::ErrorKind::BrokenPipe
                )
            });
        if cut || error.is_body() || error.is_decode() {
            return Self::Cut { host };
        }
        Self::Protocol { host, reason: deepest(error) }
    }
}

/// Returns the first error of type `T` in the chain of causes, including those inside I/O errors,
/// which `source` does not return.
fn find<'e, T: StdError + 'static>(error: &'e (dyn StdError + 'static)) -> Option<&'e T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<T>() {
            return Some(found);
        }
        next = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

/// Returns the innermost cause, which is the actual reason; the outer errors repeat the address.
fn deepest(error: &(dyn StdError + 'static)) -> String {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}
