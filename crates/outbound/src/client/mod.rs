//! The client: the guard checks every hop of an exchange, and every response has limits.

use std::path::Path;
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use tracing::{Instrument as _, field};
use url::Url;

use crate::blocking::Background;
use crate::error::{Error, Phase};
use crate::guard::Guard;
use crate::request::{Limits, Request};
use crate::resolve::{GuardedResolver, Lookup, SystemLookup};
use crate::tls;

/// Makes outbound requests. Cloning is cheap; clones share connections.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    guard: Arc<Guard>,
    resolver: GuardedResolver,
    ssh_program: Arc<Path>,
    limits: Limits,
    background: Arc<OnceLock<Background>>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { http: _, guard, resolver: _, ssh_program: _, limits, background: _ } = self;
        f.debug_struct("Client").field("guard", guard).field("limits", limits).finish()
    }
}

/// The head of a response, with the body still to be read.
#[derive(Debug)]
pub struct Response {
    /// The HTTP status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The address that answered, after redirects.
    pub url: Url,
    /// The body.
    pub body: Body,
}

/// A body that is read piece by piece, within the limits of its request.
#[derive(Debug)]
pub struct Body {
    response: reqwest::Response,
    host: String,
    deadline: Instant,
    limit: u64,
    read: u64,
    meter: RateMeter,
}

/// Measures the rate at which a body arrives, over the time spent waiting for it.
#[derive(Debug)]
pub(crate) struct RateMeter {
    bytes: u64,
    time: Duration,
    /// Bytes received in the current interval.
    received: u64,
    waited: Duration,
}

impl RateMeter {
    pub(crate) fn of(limits: &Limits) -> Self {
        let Limits { min_rate_bytes, min_rate_interval, .. } = *limits;
        Self { bytes: min_rate_bytes, time: min_rate_interval, received: 0, waited: Duration::ZERO }
    }

    /// Adds a wait and the bytes that it brought. Returns `false` if an interval has ended with too
    /// few bytes.
    pub(crate) fn add(&mut self, waited: Duration, received: u64) -> bool {
        self.waited += waited;
        self.received += received;
        let (is_enough, is_over) = (self.received >= self.bytes, self.waited >= self.time);
        if is_enough && is_over {
            self.received = 0;
            self.waited = Duration::ZERO;
        }
        is_enough || !is_over
    }

    /// Returns the interval in which bytes must arrive.
    pub(crate) const fn interval(&self) -> Duration {
        self.time
    }

    /// Waits for a piece; `None` if too few bytes arrived in an interval.
    async fn wait<T>(
        &mut self,
        mut piece: Pin<&mut impl Future<Output = T>>,
        len: impl Fn(&T) -> u64,
    ) -> Option<T> {
        loop {
            let began = Instant::now();
            let left = self.time.saturating_sub(self.waited);
            let waited = tokio::time::timeout(left, piece.as_mut()).await;
            let is_fast = self.add(began.elapsed(), waited.as_ref().map_or(0, &len));
            match waited {
                Ok(piece) => return Some(piece),
                Err(_) if is_fast => {}
                Err(_) => return None,
            }
        }
    }
}

impl Client {
    /// Returns a client that reaches the addresses that `guard` permits, with the system's
    /// resolver.
    ///
    /// # Errors
    /// Fails if TLS cannot be set up.
    pub fn new(guard: Guard, limits: Limits) -> bindery_model::Result<Self> {
        Self::with_lookup(guard, limits, Arc::new(SystemLookup))
    }

    /// Returns a client that resolves names with `lookup`.
    ///
    /// # Errors
    /// Fails if TLS cannot be set up.
    pub fn with_lookup(
        guard: Guard,
        limits: Limits,
        lookup: Arc<dyn Lookup>,
    ) -> bindery_model::Result<Self> {
        let internal = |error: &dyn std::fmt::Display| {
            bindery_model::Error::internal(format!("outbound client: {error}"))
        };
        let guard = Arc::new(guard);
        let resolver = GuardedResolver { guard: guard.clone(), lookup };
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls::config().map_err(|error| internal(&error))?)
            .dns_resolver(resolver.clone())
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .connect_timeout(limits.connect)
            .read_timeout(limits.idle)
            .user_agent(concat!("bindery/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| internal(&error))?;
        let ssh_program = Path::new("ssh").into();
        Ok(Self { http, guard, resolver, ssh_program, limits, background: Arc::default() })
    }

    /// Returns the guard of this client.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Returns the same client with another program for SSH than the `ssh` of the machine.
    #[must_use]
    pub fn with_ssh_program(mut self, program: &Path) -> Self {
        self.ssh_program = program.into();
        self
    }

    pub(crate) fn ssh_program(&self) -> &Path {
        &self.ssh_program
    }

    pub(crate) fn resolver(&self) -> &GuardedResolver {
        &self.resolver
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn background(&self) -> Result<&Background, Error> {
        if let Some(background) = self.background.get() {
            return Ok(background);
        }
        let started = Background::start()?;
        Ok(self.background.get_or_init(|| started))
    }

    /// Sends a request and follows its redirects. Each hop is checked like the first one, uses http
    /// or https, and never downgrades from https to http. Credentials are sent only to the first
    /// origin, and so are requests other than GET and HEAD. A response of any status is a success.
    ///
    /// # Errors
    /// Fails if the head of the response does not arrive.
    pub async fn send(&self, request: Request) -> Result<Response, Error> {
        let total = request.total.unwrap_or(self.limits.total);
        let limit = request.body_limit.unwrap_or(self.limits.body);
        let deadline = Instant::now() + total;
        let waiting = if request.body.is_long() { total } else { self.limits.idle.min(total) };
        let head = Instant::now() + waiting;
        let mut url = request.url.clone();
        for _ in 0..=self.limits.redirects {
            self.guard.check_url(&url)?;
            let host = authority(&url);
            let span = tracing::debug_span!(
                "outbound request",
                method = %request.method,
                host,
                status = field::Empty
            );
            let response = self.send_once(&request, &url, &host, deadline).instrument(span.clone());
            let response = tokio::time::timeout(remaining(head), response).await;
            let response = response
                .map_err(|_| Error::Timeout { host: host.clone(), phase: Phase::Read })??;
            span.record("status", response.status().as_u16());
            if request.follows
                && let Some(next) = redirect(&request, &url, &host, &response)?
            {
                url = next;
                continue;
            }
            let (status, headers) = (response.status(), response.headers().clone());
            let meter = RateMeter::of(&self.limits);
            let body = Body { response, host, deadline, limit, read: 0, meter };
            body.check_content_length()?;
            return Ok(Response { status, headers, url, body });
        }
        Err(Error::Redirect { host: authority(&request.url), problem: "too many times" })
    }

    async fn send_once(
        &self,
        request: &Request,
        url: &Url,
        host: &str,
        deadline: Instant,
    ) -> Result<reqwest::Response, Error> {
        let mut builder = self
            .http
            .request(request.method.clone(), url.clone())
            .headers(request.headers.clone())
            .timeout(remaining(deadline));
        if !request.body.is_empty() {
            builder = builder.body(request.body.to_sent());
        }
        if let Some(authorization) = &request.authorization
            && url.origin() == request.url.origin()
        {
            builder = builder.header(header::AUTHORIZATION, authorization.header().clone());
        }
        builder
            .send()
            .await
            .map_err(|error| Error::translate(host, &error, remaining(deadline).is_zero()))
    }
}

impl Body {
    /// Returns the next piece; `None` at the end.
    ///
    /// # Errors
    /// Fails if the connection breaks or is too slow, or if the body exceeds its limit.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Error> {
        let len = |piece: &reqwest::Result<Option<Bytes>>| match piece {
            Ok(Some(bytes)) => bytes.len() as u64,
            _ => 0,
        };
        let piece = self.meter.wait(pin!(self.response.chunk()), len).await;
        let chunk = piece
            .ok_or_else(|| Error::Timeout { host: self.host.clone(), phase: Phase::Rate })?
            .map_err(|error| {
                Error::translate(&self.host, &error, remaining(self.deadline).is_zero())
            })?;
        if let Some(chunk) = &chunk {
            self.read = self.read.saturating_add(chunk.len() as u64);
            if self.read > self.limit {
                return Err(self.too_large());
            }
        }
        Ok(chunk)
    }

    /// Returns the next piece that is not empty; `None` at the end.
    pub(crate) async fn filled_chunk(&mut self) -> Result<Option<Bytes>, Error> {
        loop {
            match self.chunk().await? {
                Some(chunk) if chunk.is_empty() => {}
                other => return Ok(other),
            }
        }
    }

    /// Reads the whole body.
    ///
    /// # Errors
    /// Those of [`Body::chunk`].
    pub async fn bytes(mut self) -> Result<Bytes, Error> {
        let mut all = BytesMut::new();
        while let Some(chunk) = self.chunk().await? {
            all.extend_from_slice(&chunk);
        }
        Ok(all.freeze())
    }

    fn check_content_length(&self) -> Result<(), Error> {
        match self.response.content_length() {
            Some(length) if length > self.limit => Err(self.too_large()),
            _ => Ok(()),
        }
    }

    fn too_large(&self) -> Error {
        Error::TooLarge { host: self.host.clone(), limit: self.limit }
    }
}

/// Returns the target of a redirect; `None` if the response is not a redirect.
fn redirect(
    request: &Request,
    from: &Url,
    host: &str,
    response: &reqwest::Response,
) -> Result<Option<Url>, Error> {
    let status = response.status();
    if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let fail = |problem| Error::Redirect { host: host.to_owned(), problem };
    let location = response.headers().get(header::LOCATION).map(HeaderValue::as_bytes);
    let location = location
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .ok_or_else(|| fail("without a Location header"))?;
    let mut to = from.join(location).map_err(|_| fail("to an invalid address"))?;
    // Userinfo in a redirect would become credentials chosen by the server.
    if !to.username().is_empty() || to.password().is_some() {
        return Err(fail("to an address with credentials in it"));
    }
    if !matches!(to.scheme(), "http" | "https") {
        return Err(fail("to another scheme than http and https"));
    }
    if from.scheme() == "https" && to.scheme() == "http" {
        return Err(fail("from https to http"));
    }
    if !matches!(request.method, Method::GET | Method::HEAD) {
        let keeps_method = matches!(status.as_u16(), 307 | 308);
        if !keeps_method || to.origin() != request.url.origin() {
            return Err(fail("a request that must not be sent anywhere else"));
        }
    }
    to.set_fragment(None);
    Ok(Some(to))
}

fn remaining(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

/// Returns host and port, which unlike the rest of an address contain no secrets.
pub(crate) fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

#[cfg(test)]
mod tests;
