//! Requests and their limits.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use hyper::body::{Body, Frame, SizeHint};
use url::Url;

/// A value for the `Authorization` header. It is sent only to the origin of the request, never to
/// another origin after a redirect, and never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Authorization(HeaderValue);

impl Authorization {
    /// Creates it from the header's value (`Basic …`, `Bearer …`); `None` if the text is not a
    /// valid header value.
    pub fn new(value: &str) -> Option<Self> {
        let mut value = HeaderValue::from_str(value).ok()?;
        value.set_sensitive(true);
        Some(Self(value))
    }

    pub(crate) fn header(&self) -> &HeaderValue {
        &self.0
    }
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authorization(…)")
    }
}

/// Limits of time and size for an exchange.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Maximum time to establish the connection. Fixed when the client is built.
    pub connect: Duration,
    /// Maximum time for the head of the response including redirects, and between two pieces of its
    /// body. The latter is fixed when the client is built.
    pub idle: Duration,
    /// Minimum number of bytes of a body in each [`min_rate_interval`](Self::min_rate_interval)
    /// spent waiting for it. The last interval may have fewer.
    pub min_rate_bytes: u64,
    /// Interval in which [`min_rate_bytes`](Self::min_rate_bytes) must arrive.
    pub min_rate_interval: Duration,
    /// Maximum time for the whole exchange, including redirects and the body.
    pub total: Duration,
    /// Maximum size of a response body in bytes.
    pub body: u64,
    /// Maximum number of redirects that are followed.
    pub redirects: u8,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            // A server that sends a few bytes now and then would occupy a worker for a long time.
            min_rate_bytes: 45 << 10,
            min_rate_interval: Duration::from_secs(45),
            total: Duration::from_secs(30 * 60),
            body: 64 << 20,
            redirects: 5,
        }
    }
}

/// An outbound request.
#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) authorization: Option<Authorization>,
    pub(crate) body: RequestBody,
    pub(crate) total: Option<Duration>,
    pub(crate) body_limit: Option<u64>,
    /// `true` if redirects are followed.
    pub(crate) follows: bool,
}

impl Request {
    /// Creates a request without headers and body.
    pub fn new(method: Method, url: Url) -> Self {
        Self {
            method,
            url,
            headers: HeaderMap::new(),
            authorization: None,
            body: RequestBody::default(),
            total: None,
            body_limit: None,
            follows: true,
        }
    }

    /// Creates a GET request.
    pub fn get(url: Url) -> Self {
        Self::new(Method::GET, url)
    }

    /// Creates a POST request with a body.
    pub fn post(url: Url, body: impl Into<Bytes>) -> Self {
        let mut request = Self::new(Method::POST, url);
        request.body = RequestBody { head: body.into(), file: None };
        request
    }

    /// Replaces the body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = RequestBody { head: body.into(), file: None };
        self
    }

    /// Creates a POST request whose body is `head` and the first `bytes` bytes of a file, which are
    /// read while they are sent.
    ///
    /// # Errors
    /// Returns an error if the file cannot be used by another thread.
    pub fn post_file(
        url: Url,
        head: impl Into<Bytes>,
        file: &File,
        bytes: u64,
    ) -> io::Result<Self> {
        Self::with_file(Method::POST, url, head.into(), file, bytes)
    }

    /// Creates a PUT request whose body is the first `bytes` bytes of a file, which are read while
    /// they are sent.
    ///
    /// # Errors
    /// Returns an error if the file cannot be used by another thread.
    pub fn put_file(url: Url, file: &File, bytes: u64) -> io::Result<Self> {
        Self::with_file(Method::PUT, url, Bytes::new(), file, bytes)
    }

    fn with_file(
        method: Method,
        url: Url,
        head: Bytes,
        file: &File,
        bytes: u64,
    ) -> io::Result<Self> {
        let mut request = Self::new(method, url);
        let file = Arc::new(file.try_clone()?);
        request.body = RequestBody { head, file: Some((file, bytes)) };
        Ok(request)
    }

    /// Returns the address.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }

    /// Sets the credentials for the origin of the address.
    #[must_use]
    pub fn authorization(mut self, authorization: Option<Authorization>) -> Self {
        self.authorization = authorization;
        self
    }

    /// Overrides the time limit of the whole exchange.
    #[must_use]
    pub fn total(mut self, total: Duration) -> Self {
        self.total = Some(total);
        self
    }

    /// Makes a redirect the response, instead of following it.
    #[must_use]
    pub fn without_redirects(mut self) -> Self {
        self.follows = false;
        self
    }

    /// Overrides the size limit of the response body, in bytes.
    #[must_use]
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.body_limit = Some(bytes);
        self
    }
}

/// Bytes of a file that are sent at a time.
const PIECE: u64 = 64 << 10;

/// The body of a request: bytes, and then those of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestBody {
    head: Bytes,
    /// The file, and the number of its bytes.
    file: Option<(Arc<File>, u64)>,
}

impl RequestBody {
    pub(crate) fn is_empty(&self) -> bool {
        self.head.is_empty() && self.file.is_none()
    }

    /// Returns `true` if sending the body can take longer than waiting for a response may.
    pub(crate) fn is_long(&self) -> bool {
        self.file.is_some()
    }

    pub(crate) fn to_sent(&self) -> reqwest::Body {
        match &self.file {
            None => self.head.clone().into(),
            Some((file, bytes)) => reqwest::Body::wrap(FileBody {
                head: self.head.clone(),
                file: Arc::clone(file),
                at: 0,
                end: *bytes,
            }),
        }
    }
}

/// A body that reads its file while it is sent.
struct FileBody {
    head: Bytes,
    file: Arc<File>,
    at: u64,
    end: u64,
}

impl Body for FileBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if !self.head.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(std::mem::take(&mut self.head)))));
        }
        let rest = self.end.saturating_sub(self.at).min(PIECE);
        if rest == 0 {
            return Poll::Ready(None);
        }
        let mut piece = vec![0; usize::try_from(rest).unwrap_or_default()];
        let read = self.file.read_exact_at(&mut piece, self.at);
        self.at += rest;
        Poll::Ready(Some(read.map(|()| Frame::data(piece.into()))))
    }

    fn is_end_stream(&self) -> bool {
        self.head.is_empty() && self.at >= self.end
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.head.len() as u64 + self.end.saturating_sub(self.at))
    }
}
