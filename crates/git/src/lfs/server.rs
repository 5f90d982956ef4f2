//! The server of a repository: its address, and the requests to it.

use std::collections::BTreeMap;
use std::io::{self, Read};

use bindery_outbound::{
    Authorization, BlockingResponse, HeaderName, HeaderValue, Request, Url, header,
};

use super::batch::{
    Access, Action, BatchObject, BatchRef, BatchRequest, BatchResponse, LocatedObject, Problem,
};
use super::{Download, LargeFiles, Operation, Pointer};
use crate::error::GitError;
use crate::pkt::sanitize;
use crate::protocol::Context;
use crate::remote::SshAccess;

/// The media type of requests and responses.
pub(super) const MEDIA_TYPE: &str = "application/vnd.git-lfs+json";
/// Maximum bytes of the addresses of a batch.
const MAX_BATCH_BYTES: u64 = 4 << 20;
/// Maximum bytes of the message of a server that refuses a request.
const MAX_MESSAGE_BYTES: u64 = 16 << 10;
/// The reason for a failed transfer to or from an address of the server.
pub(super) const NOT_THERE: &str = "there is nothing at the address that its server named";
/// Maximum number of headers that the server sets for a request.
const MAX_HEADERS: usize = 16;

/// The server of a repository.
pub(crate) struct LargeFileServer {
    pub(super) context: Context,
    /// The full name of the ref that is imported or exported, for which some servers grant access.
    reference: String,
}

/// The address of the server, without a slash at its end, and the headers for it.
struct Endpoint {
    url: Url,
    header: BTreeMap<String, String>,
}

impl LargeFileServer {
    pub(crate) fn new(context: Context, reference: String) -> Self {
        Self { context, reference }
    }

    fn endpoint(&self, operation: Operation) -> Result<Endpoint, GitError> {
        match &self.context.remote.ssh {
            Some(access) => self.authenticate(access, operation),
            None => Ok(Endpoint { url: self.address(), header: BTreeMap::new() }),
        }
    }

    /// Returns the address of the server of a repository over HTTP: that of the repository with
    /// `.git/info/lfs`.
    fn address(&self) -> Url {
        let mut url = self.context.remote.url.url().clone();
        let path = url.path().trim_end_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let path = format!("{path}.git/info/lfs");
        url.set_path(&path);
        url
    }

    /// Asks the host of a repository over SSH for the address of the server.
    fn authenticate(&self, access: &SshAccess, operation: Operation) -> Result<Endpoint, GitError> {
        let output = self.context.large_file_access(access, operation)?;
        let output = output.ok_or_else(|| {
            self.refused("its host does not answer the command git-lfs-authenticate")
        })?;
        let malformed = || self.context.protocol("its host answers git-lfs-authenticate wrongly");
        let Access { href, header } = serde_json::from_slice(&output).map_err(|_| malformed())?;
        let mut url = Url::parse(&href).map_err(|_| malformed())?;
        let is_plain = url.username().is_empty() && url.password().is_none();
        if !matches!(url.scheme(), "http" | "https") || !is_plain {
            return Err(malformed());
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Endpoint { url, header })
    }

    /// Asks the server for the transfers of files.
    pub(super) fn batch(
        &self,
        operation: Operation,
        files: &[Pointer],
    ) -> Result<Vec<LocatedObject>, GitError> {
        let request = BatchRequest {
            operation: operation.name(),
            transfers: ["basic"],
            r#ref: BatchRef { name: &self.reference },
            objects: files.iter().map(BatchObject::from).collect(),
            hash_algo: "sha256",
        };
        let body = serde_json::to_vec(&request)
            .map_err(|_| self.context.protocol("the request for large files is invalid"))?;
        let Endpoint { mut url, header } = self.endpoint(operation)?;
        let path = format!("{}/objects/batch", url.path().trim_end_matches('/'));
        url.set_path(&path);
        let value = HeaderValue::from_static(MEDIA_TYPE);
        let request = Request::post(url, body)
            .header(header::CONTENT_TYPE, value.clone())
            .header(header::ACCEPT, value)
            .body_limit(MAX_BATCH_BYTES);
        let mut response = self.send(request, &header)?;
        self.check(&mut response, "its server does not have Git LFS")?;
        let mut bytes = Vec::new();
        response.body.read_to_end(&mut bytes).map_err(|error| self.context.io(&error))?;
        let malformed = || self.context.protocol("its server of large files answers wrongly");
        let response: BatchResponse = serde_json::from_slice(&bytes).map_err(|_| malformed())?;
        if response.transfer.is_some_and(|transfer| transfer != "basic") {
            return Err(malformed());
        }
        Ok(response.objects)
    }

    /// Returns the address of an action. The guard of the client checks it.
    pub(super) fn target(&self, action: &Action) -> Result<Url, GitError> {
        let joined = self.context.remote.url.url().join(&action.href);
        joined.map_err(|_| self.context.protocol("the address of a large file is invalid"))
    }

    /// Sends a request with the headers that the server set for it. If they do not authorize it, the
    /// credentials of the repository do, at the origin of the repository.
    pub(super) fn send(
        &self,
        mut request: Request,
        header: &BTreeMap<String, String>,
    ) -> Result<BlockingResponse, GitError> {
        let malformed = || self.context.protocol("a header for a large file is invalid");
        let mut authorization = None;
        for (name, value) in header.iter().take(MAX_HEADERS) {
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
        let request = match authorization {
            Some(authorization) => request.authorization(Some(authorization)),
            None => self.context.authorized(request),
        };
        self.context.exchange(request)
    }

    /// Checks the status of a response. `absent` describes the server if there is nothing at the
    /// address of the request.
    pub(super) fn check(
        &self,
        response: &mut BlockingResponse,
        absent: &str,
    ) -> Result<(), GitError> {
        let reason = match response.status.as_u16() {
            200..=299 => return Ok(()),
            401 | 403 => "its server denies access".to_owned(),
            404 | 410 | 501 => absent.to_owned(),
            status @ (429 | 500..) => {
                return Err(GitError::Server { remote: self.context.name(), status });
            }
            status => format!("its server answered {status}"),
        };
        let mut bytes = Vec::new();
        // A message that cannot be read is not needed.
        drop((&mut response.body).take(MAX_MESSAGE_BYTES).read_to_end(&mut bytes));
        let problem = serde_json::from_slice::<Problem>(&bytes).ok();
        let message = problem.map(|problem| sanitize(problem.message.as_bytes()));
        Err(match message.filter(|message| !message.is_empty()) {
            Some(message) => self.refused(&format!("{reason}: {message}")),
            None => self.refused(&reason),
        })
    }

    pub(super) fn refused(&self, reason: &str) -> GitError {
        GitError::LargeFiles { remote: self.context.name(), reason: reason.to_owned() }
    }

    fn download(&self, action: &Action, size: u64) -> Result<Box<dyn Read + Send>, GitError> {
        let request = Request::get(self.target(action)?).body_limit(size);
        let mut response = self.send(request, &action.header)?;
        self.check(&mut response, NOT_THERE)?;
        Ok(Box::new(response.body))
    }
}

impl LargeFiles for LargeFileServer {
    fn locate<'a>(&'a self, files: &[Pointer]) -> Result<Vec<Option<Download<'a>>>, GitError> {
        let located = match self.batch(Operation::Download, files) {
            // The repository can be read without its large files.
            Err(GitError::LargeFiles { .. }) => Vec::new(),
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
