//! The process's limit of open file descriptors, which connections, the store's files and outgoing
//! requests share.

use anyhow::Result;
use bindery_http::ListenLimits;

/// The limit of descriptors below which reduced connection limits are logged.
const LOW_LIMIT: u64 = 4_096;

/// Raises the limit of open descriptors to its maximum, and reduces the connection limits to fit
/// it.
///
/// # Errors
/// Returns an error if the limit is too low for a server.
pub(crate) fn fit(limits: ListenLimits) -> Result<ListenLimits> {
    let Some(limit) = raise() else { return Ok(limits) };
    let minimum = ListenLimits::MIN_DESCRIPTORS;
    anyhow::ensure!(
        limit >= minimum,
        "the process can open {limit} descriptors, and a server needs at least {minimum}: raise \
         the hard limit (`ulimit -Hn`, `LimitNOFILE=` of a systemd unit, `--ulimit nofile=` of a \
         container)"
    );
    let fitted = limits.within(limit);
    if limit < LOW_LIMIT && fitted.connections < limits.connections {
        tracing::warn!(
            descriptors = limit,
            connections = fitted.connections,
            "the hard limit of open descriptors is low: fewer concurrent connections are \
             accepted than configured"
        );
    }
    Ok(fitted)
}

/// Raises the soft limit to the hard limit. Returns the limit; `None` if there is none.
#[cfg(unix)]
fn raise() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current == maximum {
        return current;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        Ok(()) => maximum,
        Err(error) => {
            tracing::warn!(%error, "could not raise the limit of open descriptors");
            current
        }
    }
}

/// Returns `None`: this platform has no such limit.
#[cfg(not(unix))]
fn raise() -> Option<u64> {
    None
}
