//! Git's protocol over SSH (gitprotocol-pack(5)): the host runs the service, whose output begins
//! with the refs or the capabilities, and which then reads one request.

use std::borrow::Cow;

use bindery_outbound::{SshCommand, SshSession};
use percent_encoding::percent_decode_str;

use super::{Context, Service};
use crate::error::GitError;
use crate::remote::SshAccess;

const DEFAULT_PORT: u16 = 22;
/// The environment variable that requests a version of the protocol. Hosts that do not pass it on
/// use version 0.
const VERSION: (&str, &str) = ("GIT_PROTOCOL", "version=2");

impl Context {
    /// Starts a service on the host of the repository.
    pub(super) fn run(
        &self,
        access: &SshAccess,
        service: Service,
        limit: u64,
    ) -> Result<SshSession, GitError> {
        let url = self.remote.url.url();
        let path = percent_decode_str(url.path()).decode_utf8_lossy();
        let command = SshCommand {
            host: url.host_str().unwrap_or_default(),
            port: url.port().unwrap_or(DEFAULT_PORT),
            user: url.username(),
            key: &access.key,
            host_keys: &access.host_keys,
            command: &format!("{} {}", service.name(), quoted(on_host(&path))),
            variable: (service == Service::UploadPack).then_some(VERSION),
            limit,
            deadline: self.deadline,
        };
        self.client.run_over_ssh(&command, &self.cancel).map_err(|error| self.failed(error))
    }
}

/// Returns the path as hosts expect it: `~` in front denotes the home folder of a user.
fn on_host(path: &str) -> &str {
    match path.strip_prefix('/') {
        Some(rest) if rest.starts_with('~') => rest,
        _ => path,
    }
}

/// Returns a text as one word of a shell.
fn quoted(text: &str) -> String {
    let inner: Cow<'_, str> = match text.contains('\'') {
        true => text.replace('\'', r"'\''").into(),
        false => text.into(),
    };
    format!("'{inner}'")
}

#[cfg(test)]
mod tests;
