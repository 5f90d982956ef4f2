//! What is asked for, and within which limits.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use url::Url;

/// A value for the `Authorization` header. It is sent to the origin of the request alone, never
/// to where that redirects, and never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Authorization(HeaderValue);

impl Authorization {
    /// From the value of the header (`Basic …`, `Bearer …`); `None` for a text that no header
    /// can carry.
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

/// How long and how large an exchange may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// For making the connection; set once, when the client is built.
    pub connect: Duration,
    /// For the head of the answer, redirects included, and between two pieces of its body; the
    /// latter is set once, when the client is built.
    pub idle: Duration,
    /// Fewest bytes of a body that must come within each [`pace_time`](Self::pace_time) that is
    /// spent waiting for it; a body that ends is fast enough.
    pub pace_bytes: u64,
    /// Time in which [`pace_bytes`](Self::pace_bytes) must come.
    pub pace_time: Duration,
    /// For the whole exchange, redirects and body included.
    pub total: Duration,
    /// Largest body of an answer in bytes.
    pub body: u64,
    /// Most redirects that are followed.
    pub redirects: u8,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            // A server that sends a few bytes now and then holds a place that others wait for.
            pace_bytes: 45 << 10,
            pace_time: Duration::from_secs(45),
            total: Duration::from_secs(30 * 60),
            body: 64 << 20,
            redirects: 5,
        }
    }
}

/// A request to the outside.
#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) authorization: Option<Authorization>,
    pub(crate) body: Bytes,
    pub(crate) total: Option<Duration>,
    pub(crate) body_limit: Option<u64>,
}

impl Request {
    /// A request with nothing but method and address.
    pub fn new(method: Method, url: Url) -> Self {
        Self {
            method,
            url,
            headers: HeaderMap::new(),
            authorization: None,
            body: Bytes::new(),
            total: None,
            body_limit: None,
        }
    }

    /// A GET.
    pub fn get(url: Url) -> Self {
        Self::new(Method::GET, url)
    }

    /// A POST with a body.
    pub fn post(url: Url, body: impl Into<Bytes>) -> Self {
        let mut request = Self::new(Method::POST, url);
        request.body = body.into();
        request
    }

    /// The address.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// With one more header.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }

    /// With credentials for the origin of its address.
    #[must_use]
    pub fn authorization(mut self, authorization: Option<Authorization>) -> Self {
        self.authorization = authorization;
        self
    }

    /// With its own time for the whole exchange.
    #[must_use]
    pub fn total(mut self, total: Duration) -> Self {
        self.total = Some(total);
        self
    }

    /// With its own limit for the body of the answer, in bytes.
    #[must_use]
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.body_limit = Some(bytes);
        self
    }
}
