//! Files in Git LFS: the repository has pointers, and a server has the content. The server is that
//! of the repository; addresses in `.lfsconfig` are not used, because whoever writes to a
//! repository would choose where its credentials are sent.

mod pointer;

use std::collections::BTreeMap;
use std::io::{self, Read};

use bindery_outbound::{Authorization, HeaderName, HeaderValue, Request, Url, header};
use serde::{Deserialize, Serialize};

use crate::error::GitError;
use crate::protocol::Context;

pub(crate) use pointer::MAX_POINTER_BYTES;
pub use pointer::Pointer;

/// The media type of requests and responses.
const MEDIA_TYPE: &str = "application/vnd.git-lfs+json";
/// Maximum number of files in a request for their addresses.
pub(crate) const BATCH: usize = 100;
/// Maximum bytes of the addresses of a batch.
const MAX_BATCH_BYTES: u64 = 4 << 20;
/// Maximum number of headers that the server sets for the download of a file.
const MAX_HEADERS: usize = 16;

/// The content of files in Git LFS.
pub trait LargeFiles: Sync {
    /// Returns the downloads of at most 100 files, in their order; `None` for a file that the server
    /// lacks or does not give. The content is not checked yet.
    ///
    /// # Errors
    /// See [`GitError`].
    fn locate<'a>(&'a self, files: &[Pointer]) -> Result<Vec<Option<Download<'a>>>, GitError>;

    /// Returns the error of a download that ended with `error`.
    fn failure(&self, error: &io::Error) -> GitError;
}

/// Opens the content of a file.
pub type Download<'a> = Box<dyn FnOnce() -> Result<Box<dyn Read + Send>, GitError> + 'a>;

/// The server of a repository over HTTP.
pub(crate) struct LargeFileServer {
    context: Context,
    /// The full name of the ref that is imported, for which some servers grant access.
    reference: String,
}

#[derive(Serialize)]
struct BatchRequest<'a> {
    operation: &'static str,
    transfers: [&'static str; 1],
    r#ref: BatchRef<'a>,
    objects: Vec<BatchObject>,
    hash_algo: &'static str,
}

#[derive(Serialize)]
struct BatchRef<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct BatchObject {
    oid: String,
    size: u64,
}

#[derive(Deserialize)]
struct BatchResponse {
    /// The way to transfer files; `basic` if it is absent.
    transfer: Option<String>,
    objects: Vec<LocatedObject>,
}

#[derive(Deserialize)]
struct LocatedObject {
    oid: String,
    actions: Option<Actions>,
}

#[derive(Deserialize)]
struct Actions {
    download: Option<Action>,
}

#[derive(Clone, Deserialize)]
struct Action {
    href: String,
    #[serde(default)]
    header: BTreeMap<String, String>,
}

impl LargeFileServer {
    pub(crate) fn new(context: Context, reference: String) -> Self {
        Self { context, reference }
    }

    /// Returns the address of the server: that of the repository with `.git/info/lfs`.
    fn address(&self) -> Result<Url, GitError> {
        let mut url = self.context.remote.url.url().clone();
        let path = url.path().trim_end_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let path = format!("{path}.git/info/lfs/objects/batch");
        url.set_path(&path);
        Ok(url)
    }

    fn batch(&self, files: &[Pointer]) -> Result<Vec<LocatedObject>, GitError> {
        let object = |file: &Pointer| BatchObject { oid: file.oid(), size: file.size };
        let request = BatchRequest {
            operation: "download",
            transfers: ["basic"],
            r#ref: BatchRef { name: &self.reference },
            objects: files.iter().map(object).collect(),
            hash_algo: "sha256",
        };
        let body = serde_json::to_vec(&request)
            .map_err(|_| self.context.protocol("the request for large files is invalid"))?;
        let value = HeaderValue::from_static(MEDIA_TYPE);
        let request = Request::post(self.address()?, body)
            .header(header::CONTENT_TYPE, value.clone())
            .header(header::ACCEPT, value)
            .body_limit(MAX_BATCH_BYTES);
        let mut response = self.context.send(request)?;
        let mut bytes = Vec::new();
        response.body.read_to_end(&mut bytes).map_err(|error| self.context.io(&error))?;
        let malformed = || self.context.protocol("its server of large files answers wrongly");
        let response: BatchResponse = serde_json::from_slice(&bytes).map_err(|_| malformed())?;
        if response.transfer.is_some_and(|transfer| transfer != "basic") {
            return Err(malformed());
        }
        Ok(response.objects)
    }

    fn download(&self, action: &Action, size: u64) -> Result<Box<dyn Read + Send>, GitError> {
        let malformed = || self.context.protocol("the address of a large file is invalid");
        // The guard of the client checks the address.
        let url = self.address()?.join(&action.href).map_err(|_| malformed())?;
        let mut request = Request::get(url).body_limit(size);
        let mut authorization = None;
        for (name, value) in action.header.iter().take(MAX_HEADERS) {
            if name.eq_ignore_ascii_case("authorization") {
                authorization = Some(Authorization::new(value).ok_or_else(malformed)?);
                continue;
            }
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| malformed())?;
            // The client sets these for the connection.
            if !matches!(
                name.as_str(),
                "host" | "content-length" | "transfer-encoding" | "connection"
            ) {
                request =
                    request.header(name, HeaderValue::from_str(value).map_err(|_| malformed())?);
            }
        }
        let response = match authorization {
            Some(authorization) => {
                self.context.send_without_credentials(request.authorization(Some(authorization)))?
            }
            None => self.context.send(request)?,
        };
        Ok(Box::new(response.body))
    }
}

impl LargeFiles for LargeFileServer {
    fn locate<'a>(&'a self, files: &[Pointer]) -> Result<Vec<Option<Download<'a>>>, GitError> {
        let located = match self.batch(files) {
            // The repository can be read without its large files.
            Err(GitError::NotARepository { .. } | GitError::NeedsCredentials { .. }) => Vec::new(),
            located => located?,
        };
        let find = |file: &Pointer| -> Option<Download<'a>> {
            let found = located.iter().find(|found| found.oid == file.oid())?;
            let action = found.actions.as_ref()?.download.clone()?;
            let size = file.size;
            Some(Box::new(move || self.download(&action, size)))
        };
        Ok(files.iter().map(find).collect())
    }

    fn failure(&self, error: &io::Error) -> GitError {
        self.context.io(error)
    }
}
