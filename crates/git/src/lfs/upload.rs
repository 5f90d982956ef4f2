//! Uploads: the server names an address for each file that it lacks, and another one at which it
//! confirms that it has the file.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;

use bindery_outbound::{HeaderValue, Request, header};
use bindery_revision::Hash;

use super::batch::{Action, BatchObject, LocatedObject};
use super::server::{MEDIA_TYPE, NOT_THERE};
use super::{BATCH, LargeFileServer, Operation, Pointer};
use crate::error::GitError;
use crate::fetch::{FetchRequest, Fetcher};
use crate::pkt::sanitize;
use crate::protocol::drain;

/// Maximum bytes of the response to an upload.
const MAX_RESPONSE_BYTES: u64 = 1 << 20;

/// A file whose content belongs to Git LFS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LargeFile {
    /// The path from the root of the repository.
    pub path: String,
    /// The pointer to the content.
    pub pointer: Pointer,
    /// The object with the content.
    pub hash: Hash,
}

impl Fetcher {
    /// Sends the contents of files to the server of a repository, unless it has them. Blocks the
    /// thread. The ref of `request` must be a full name. `open` opens the content of an object, and
    /// `progress` receives the number of files that are done.
    ///
    /// # Errors
    /// Returns the errors of `open` and those of the server; see [`GitError`].
    pub fn upload<E: From<GitError>>(
        &self,
        request: &FetchRequest<'_>,
        files: &[LargeFile],
        open: &dyn Fn(&Hash) -> Result<File, E>,
        progress: &dyn Fn(usize),
    ) -> Result<(), E> {
        let server = LargeFileServer::new(self.context(request), request.reference.to_string());
        let mut known = BTreeSet::new();
        let files: Vec<&LargeFile> =
            files.iter().filter(|file| known.insert(file.pointer.oid())).collect();
        for (batch, files) in files.chunks(BATCH).enumerate() {
            let pointers: Vec<Pointer> = files.iter().map(|file| file.pointer).collect();
            let located = server.batch(Operation::Upload, &pointers)?;
            for (at, file) in files.iter().enumerate() {
                progress(batch * BATCH + at);
                let oid = file.pointer.oid();
                let found = located.iter().find(|found| found.oid == oid);
                if let Some(action) = server.upload_action(file, found)? {
                    server.send_file(file, action, &open(&file.hash)?)?;
                }
                if let Some(action) = verify_action(found) {
                    server.verify(file, action)?;
                }
            }
        }
        Ok(())
    }
}

impl LargeFileServer {
    /// Returns the upload that the server asks for; `None` if it has the file.
    fn upload_action<'f>(
        &self,
        file: &LargeFile,
        found: Option<&'f LocatedObject>,
    ) -> Result<Option<&'f Action>, GitError> {
        let path = &file.path;
        let Some(found) = found else {
            return Err(self.refused(&format!("its server does not accept `{path}`")));
        };
        if let Some(problem) = &found.error {
            let message = sanitize(problem.message.as_bytes());
            return Err(self.refused(&format!("its server does not accept `{path}`: {message}")));
        }
        Ok(found.actions.as_ref().and_then(|actions| actions.upload.as_ref()))
    }

    fn send_file(&self, file: &LargeFile, action: &Action, from: &File) -> Result<(), GitError> {
        let disk = |error: io::Error| GitError::Disk {
            remote: self.context.name(),
            reason: error.kind().to_string(),
        };
        let mut request = Request::put_file(self.target(action)?, from, file.pointer.size)
            .map_err(disk)?
            .body_limit(MAX_RESPONSE_BYTES);
        let mut names = action.header.keys();
        if !names.any(|name| name.eq_ignore_ascii_case(header::CONTENT_TYPE.as_str())) {
            let value = HeaderValue::from_static("application/octet-stream");
            request = request.header(header::CONTENT_TYPE, value);
        }
        self.finish(file, request, action)
    }

    fn verify(&self, file: &LargeFile, action: &Action) -> Result<(), GitError> {
        let body = serde_json::to_vec(&BatchObject::from(&file.pointer))
            .map_err(|_| self.context.protocol("the request for a large file is invalid"))?;
        let value = HeaderValue::from_static(MEDIA_TYPE);
        let request = Request::post(self.target(action)?, body)
            .header(header::CONTENT_TYPE, value.clone())
            .header(header::ACCEPT, value)
            .body_limit(MAX_RESPONSE_BYTES);
        self.finish(file, request, action)
    }

    /// Sends a request about a file, which must succeed.
    fn finish(&self, file: &LargeFile, request: Request, action: &Action) -> Result<(), GitError> {
        let mut response = self.send(request, &action.header)?;
        self.check(&mut response, NOT_THERE).map_err(|error| match error {
            GitError::LargeFiles { remote, reason } => {
                let reason = format!("`{}`: {reason}", file.path);
                GitError::LargeFiles { remote, reason }
            }
            other => other,
        })?;
        drain(response.body).map_err(|error| self.context.io(&error))
    }
}

/// Returns the confirmation that the server asks for after an upload.
fn verify_action(found: Option<&LocatedObject>) -> Option<&Action> {
    let actions = found?.actions.as_ref()?;
    actions.verify.as_ref().filter(|_| actions.upload.is_some())
}
