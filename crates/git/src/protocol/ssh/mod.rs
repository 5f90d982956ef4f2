//! Git's protocol over SSH (gitprotocol-pack(5)): the host runs the service, whose output begins
//! with the refs or the capabilities, and which then reads one request.

use std::borrow::Cow;

use bindery_outbound::{SshCommand, SshSession};
use percent_encoding::percent_decode_str;

use super::{Context, Service};
use crate::error::GitError;
use crate::lfs::Operation;
use crate::remote::SshAccess;

const DEFAULT_PORT: u16 = 22;
/// Maximum bytes of the answer to a request for access to Git LFS.
const MAX_ACCESS_BYTES: u64 = 64 << 10;
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
        let command = format!("{} {}", service.name(), self.path_on_host());
        let variable = (service == Service::UploadPack).then_some(VERSION);
        self.run_command(access, &command, variable, limit)
    }

    /// Asks the host of the repository for access to its server of Git LFS. Returns the answer;
    /// `None` if the host has no such command or refuses.
    pub(crate) fn large_file_access(
        &self,
        access: &SshAccess,
        operation: Operation,
    ) -> Result<Option<Vec<u8>>, GitError> {
        let path = self.path_on_host();
        let command = format!("git-lfs-authenticate {path} {}", operation.name());
        let session = self.run_command(access, &command, None, MAX_ACCESS_BYTES)?;
        session.output().map_err(|error| self.failed(error))
    }

    fn run_command(
        &self,
        access: &SshAccess,
        command: &str,
        variable: Option<(&str, &str)>,
        limit: u64,
    ) -> Result<SshSession, GitError> {
        let url = self.remote.url.url();
        let command = SshCommand {
            host: url.host_str().unwrap_or_default(),
            port: url.port().unwrap_or(DEFAULT_PORT),
            user: url.username(),
            key: &access.key,
            host_keys: &access.host_keys,
            command,
            variable,
            limit,
            deadline: self.deadline,
        };
        self.client.run_over_ssh(&command, &self.cancel).map_err(|error| self.failed(error))
    }

    /// Returns the path of the repository as a word of a shell.
    fn path_on_host(&self) -> String {
        let path = percent_decode_str(self.remote.url.url().path()).decode_utf8_lossy();
        quoted(on_host(&path))
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
