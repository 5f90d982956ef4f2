//! The descriptors that the process may open: each connection takes one, and so do the store's
//! files and what is fetched.

use anyhow::Result;
use bindery_http::ListenLimits;

/// Descriptors below which a server works, but takes few connections.
const FEW: u64 = 4_096;

/// Raises the limit of open descriptors as far as it goes, and fits the limits of connections to
/// it.
///
/// # Errors
/// When it is too low for a server.
pub(crate) fn fit(limits: ListenLimits) -> Result<ListenLimits> {
    let Some(most) = raise() else { return Ok(limits) };
    let least = ListenLimits::LEAST_DESCRIPTORS;
    anyhow::ensure!(
        most >= least,
        "the process may open {most} descriptors, and a server needs {least} at least: raise the \
         hard limit (`ulimit -Hn`, `LimitNOFILE=` of a systemd unit, `--ulimit nofile=` of a \
         container)"
    );
    let fitted = limits.within(most);
    if most < FEW && fitted.connections < limits.connections {
        tracing::warn!(
            descriptors = most,
            connections = fitted.connections,
            "the hard limit of open descriptors is low: fewer connections are taken at once than \
             configured"
        );
    }
    Ok(fitted)
}

/// Raises the soft limit to the hard one. Returns the limit, `None` for no limit.
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

/// Returns `None`: there is no such limit here.
#[cfg(not(unix))]
fn raise() -> Option<u64> {
    None
}
