//! Request routing: health checks, the API, the console and published sites.

use std::fmt::Write as _;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bindery_api::Api;
use bindery_app::App;
use bindery_app::publishing::resolve::HostSites;
use bindery_console::Console;
use bindery_http::{
    Body, Client, ConnectionMetrics, Handler, Peer, Request, Response, SessionCookie,
    TrustedProxies,
};
use bindery_model::{JobKind, Result};
use bindery_site::Sites;
use bindery_store::{ConnectionCounts, JobCount, JobStatus, LongReadCounts, StoreError};
use http::Method;
use http::header::{self, HeaderValue};
use http::request::Parts;
use http::uri::Authority;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tracing::Instrument as _;
use tracing::field::Empty;

use crate::latency::{RequestKind, RequestLatency};
use crate::security_txt::{self, SecurityTxt};
use crate::socket;
use crate::traces;

/// The value of `Strict-Transport-Security`: browsers use only TLS for this host for one year.
const ONE_YEAR: HeaderValue = HeaderValue::from_static("max-age=31536000");

fn is_api(path: &str) -> bool {
    path == "/v1" || path.starts_with("/v1/")
}

/// Returns the host that a request names, with its port if it has one.
fn named_host(request: &Request) -> Option<&str> {
    let header = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    header.or_else(|| request.uri().authority().map(Authority::as_str))
}

fn is_console(path: &str) -> bool {
    path == bindery_console::PATH || path.starts_with("/app/")
}

/// The handler of all requests at the listener.
pub(crate) struct Server {
    app: Arc<App>,
    api: Arc<Api>,
    sites: Sites,
    console: Arc<Console>,
    proxies: TrustedProxies,
    metrics_token: Option<String>,
    security: Option<SecurityTxt>,
    connections: Arc<ConnectionMetrics>,
    /// The runtime that handles requests to the API and the console.
    workers: Handle,
    latency: RequestLatency,
    slow_request: Option<Duration>,
    exports_traces: bool,
    draining: AtomicBool,
    api_requests: AtomicU64,
    page_requests: AtomicU64,
    failures: AtomicU64,
}

impl Server {
    /// Creates the handler. The calling runtime handles the requests to the API and the console.
    pub(crate) fn new(
        app: Arc<App>,
        proxies: TrustedProxies,
        metrics_token: Option<String>,
        security: Option<SecurityTxt>,
        connections: Arc<ConnectionMetrics>,
        slow_request: Option<Duration>,
        exports_traces: bool,
    ) -> Result<Self> {
        let api = Arc::new(Api::new(Arc::clone(&app))?);
        Ok(Self {
            latency: RequestLatency::new(api.operation_ids()),
            api,
            sites: Sites::new(Arc::clone(&app)),
            console: Arc::new(Console::new(Arc::clone(&app))),
            workers: Handle::current(),
            app,
            proxies,
            metrics_token,
            security,
            connections,
            slow_request,
            exports_traces,
            draining: AtomicBool::new(false),
            api_requests: AtomicU64::new(0),
            page_requests: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        })
    }

    /// Makes `/readyz` report that the server is shutting down.
    pub(crate) fn drain(&self) {
        self.draining.store(true, Ordering::Release);
        self.app.editing.follows.close();
    }

    async fn ready(&self) -> Response {
        if self.draining.load(Ordering::Acquire) {
            return plain(503, "draining\n");
        }
        let result: std::result::Result<bool, StoreError> =
            self.app.store.read(bindery_store::organizations::any_exists).await;
        match result {
            Ok(_) => plain(200, "ready\n"),
            Err(error) => {
                tracing::warn!(%error, "not ready");
                plain(503, "the store does not answer\n")
            }
        }
    }

    async fn metrics(&self, request: &Request) -> Response {
        let Some(token) = &self.metrics_token else { return plain(404, "not found\n") };
        let expected = format!("Bearer {token}");
        let given = request.headers().get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
        if !given.is_some_and(|given| bindery_app::secrets::equal(given, expected.as_bytes())) {
            let mut response = plain(401, "a token is required\n");
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return response;
        }
        let rendered = self.sites.render_counts();
        let mut text = format!(
            "# HELP bindery_http_requests_total Requests by interface.\n\
             # TYPE bindery_http_requests_total counter\n\
             bindery_http_requests_total{{interface=\"api\"}} {}\n\
             bindery_http_requests_total{{interface=\"site\"}} {}\n\
             # HELP bindery_http_server_errors_total Responses with a status of 500 or higher, \
             except 501.\n\
             # TYPE bindery_http_server_errors_total counter\n\
             bindery_http_server_errors_total {}\n\
             # HELP bindery_site_renders_total Rendered parts of published sites.\n\
             # TYPE bindery_site_renders_total counter\n\
             bindery_site_renders_total{{part=\"page\"}} {}\n\
             bindery_site_renders_total{{part=\"text\"}} {}\n\
             # HELP bindery_store_changes_total Committed transactions with changes.\n\
             # TYPE bindery_store_changes_total counter\n\
             bindery_store_changes_total {}\n",
            self.api_requests.load(Ordering::Relaxed),
            self.page_requests.load(Ordering::Relaxed),
            self.failures.load(Ordering::Relaxed),
            rendered.responses,
            rendered.texts,
            self.app.store.commits(),
        );
        text.push_str(&self.store_metrics().await);
        text.push_str(&self.latency.render());
        text.push_str(&self.connections.render());
        plain(200, text)
    }

    /// Renders the use of the database's connections and the numbers of unfinished jobs.
    async fn store_metrics(&self) -> String {
        let ConnectionCounts { in_use, idle, waiting } = self.app.store.connection_counts();
        let mut text = format!(
            "# HELP bindery_database_connections Open connections to the database by state.\n\
             # TYPE bindery_database_connections gauge\n\
             bindery_database_connections{{state=\"in_use\"}} {in_use}\n\
             bindery_database_connections{{state=\"idle\"}} {idle}\n\
             # HELP bindery_database_waiting Transactions that wait for a connection or their \
             commit.\n\
             # TYPE bindery_database_waiting gauge\n\
             bindery_database_waiting {waiting}\n"
        );
        let LongReadCounts { running, waiting } = self.app.store.long_read_counts();
        // Writing to a string cannot fail.
        let _written = write!(
            text,
            "# HELP bindery_database_long_reads Long reads of the database by state.\n\
             # TYPE bindery_database_long_reads gauge\n\
             bindery_database_long_reads{{state=\"running\"}} {running}\n\
             bindery_database_long_reads{{state=\"waiting\"}} {waiting}\n"
        );
        let jobs: std::result::Result<_, StoreError> =
            self.app.store.read(|tx| tx.count_unfinished_jobs()).await;
        match jobs {
            Ok(jobs) => {
                text.push_str(
                    "# HELP bindery_jobs Jobs that have not ended, by kind and status.\n\
                     # TYPE bindery_jobs gauge\n",
                );
                let count = |kind: Option<JobKind>, status: JobStatus| -> u64 {
                    let found = |job: &&JobCount| job.kind.known() == kind && job.status == status;
                    jobs.iter().filter(found).map(|job| job.count).sum()
                };
                let kinds = JobKind::ALL.map(Some);
                for kind in kinds.into_iter().chain([None]) {
                    for status in [JobStatus::Queued, JobStatus::Running] {
                        let name = kind.map_or("unknown", JobKind::as_str);
                        // Writing to a string cannot fail.
                        let _written = writeln!(
                            text,
                            "bindery_jobs{{kind=\"{name}\",status=\"{}\"}} {}",
                            status.as_str(),
                            count(kind, status)
                        );
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "jobs cannot be counted for the metrics"),
        }
        text
    }
}

/// A task that is aborted when its result is no longer awaited.
struct Awaited<T>(JoinHandle<T>);

impl<T> Drop for Awaited<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Runs a future on another runtime. Dropping the returned future cancels it, and a panic of the
/// future continues in the caller.
async fn run_on<T: Send + 'static>(
    runtime: &Handle,
    future: impl Future<Output = T> + Send + 'static,
) -> T {
    let mut task = Awaited(runtime.spawn(future.in_current_span()));
    match (&mut task.0).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime shuts down, and with it the connection.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Returns `true` if the path belongs to monitoring.
fn is_health(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/metrics")
}

/// Returns the kind of a request for a path, before its operation is known.
fn request_kind(path: &str) -> RequestKind {
    if is_health(path) {
        RequestKind::Health
    } else if is_api(path) {
        RequestKind::ApiOther
    } else if is_console(path) {
        RequestKind::Application
    } else {
        RequestKind::of_site_path(path)
    }
}

fn plain(status: u16, text: impl Into<Body>) -> Response {
    let mut response = Response::new(text.into());
    *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn cacheable(mut response: Response) -> Response {
    let value = HeaderValue::from_static("public, max-age=3600");
    response.headers_mut().insert(header::CACHE_CONTROL, value);
    response
}

fn allow_reading(mut response: Response) -> Response {
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD, OPTIONS"));
    response
}

impl Handler for Server {
    async fn handle(&self, request: Request, Peer(peer): Peer) -> Response {
        let client = self.proxies.client(peer.ip(), request.headers());
        let logged = tracing::enabled!(tracing::Level::INFO)
            .then(|| (request.method().clone(), self.logged_address(&request)));
        let address = client.address;
        let has_tls = client.secure.unwrap_or_else(|| self.app.urls.secure());
        let kind = request_kind(request.uri().path());
        let span = tracing::info_span!(
            "request",
            operation = Empty,
            request = Empty,
            caller = Empty,
            status = Empty,
        );
        if self.exports_traces {
            traces::describe_request(&span, &request);
        }
        let started = Instant::now();
        let mut response = self.answer(request, client).instrument(span.clone()).await;
        let elapsed = started.elapsed();
        let operation = response.extensions().get().copied();
        let kind = operation.map_or(kind, RequestKind::Operation);
        self.latency.record(kind, response.status(), elapsed);
        if has_tls {
            response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, ONE_YEAR);
        }
        let _entered = span.enter();
        span.record("status", response.status().as_u16());
        // The API records its operations itself, so that all lines of a request name them.
        if operation.is_none() {
            span.record("operation", self.latency.label(kind));
        }
        if let Some((method, logged)) = logged {
            log_answer(address, &method, &logged, &response);
        }
        if self.slow_request.is_some_and(|slow| elapsed >= slow) {
            let (operation, seconds) = (self.latency.label(kind), elapsed.as_secs_f64());
            let request = request_id(&response);
            tracing::warn!(operation, request, seconds, "slow request");
        }
        response
    }

    fn is_urgent(&self, head: &Parts) -> bool {
        let secure = self.app.urls.secure();
        is_health(head.uri.path())
            || head.headers.contains_key(header::AUTHORIZATION)
            || SessionCookie { secure }.find(&head.headers).is_some()
    }

    fn refuse(&self, status: u16) -> Response {
        let message = match status {
            503 => "the server is at its limit of connections: retry in a few seconds",
            414 => "the address in the request line is longer than 65,534 bytes",
            431 => "the head of the request has more than 100 fields or 400 KiB",
            _ => "the request is not valid HTTP/1.1 or does not have exactly one Host header",
        };
        self.api.refuse(status, message)
    }
}

/// The part of a request's address that is logged. Paths can contain secrets of links and
/// invitations, so only paths of published pages are logged unchanged.
enum LoggedAddress {
    /// The pattern of a known path.
    Route(&'static str),
    /// A path of the published sites, which is logged only if a page exists there.
    Page(String),
}

fn request_id(response: &Response) -> Option<&str> {
    response.headers().get("x-request-id").and_then(|id| id.to_str().ok())
}

fn log_answer(client: IpAddr, method: &Method, address: &LoggedAddress, response: &Response) {
    let status = response.status();
    let request = request_id(response);
    match address {
        LoggedAddress::Route(route) => {
            let status = status.as_u16();
            tracing::info!(%client, %method, path = route, status, request, "answered");
        }
        LoggedAddress::Page(path) => {
            // A path without a page can be a mistyped sign-in link.
            let path = status.is_success().then_some(path);
            let status = status.as_u16();
            let path = path.map_or("(no page)", String::as_str);
            tracing::info!(%client, %method, path, status, "answered");
        }
    }
}

impl Server {
    fn logged_address(&self, request: &Request) -> LoggedAddress {
        let path = request.uri().path();
        LoggedAddress::Route(match path {
            "/healthz" => "/healthz",
            "/readyz" => "/readyz",
            "/metrics" => "/metrics",
            security_txt::PATH => security_txt::PATH,
            _ if is_api(path) => self.api.route_of(request.method(), path),
            _ if is_console(path) => bindery_console::route_of(path),
            _ => return LoggedAddress::Page(path.to_owned()),
        })
    }

    async fn answer(&self, request: Request, client: Client) -> Response {
        let path = request.uri().path();
        if is_health(path) {
            return match *request.method() {
                Method::GET | Method::HEAD => match path {
                    "/healthz" => plain(200, "ok\n"),
                    "/readyz" => Box::pin(self.ready()).await,
                    _ => Box::pin(self.metrics(&request)).await,
                },
                Method::OPTIONS => allow_reading(plain(204, "")),
                _ => allow_reading(plain(405, "GET, HEAD and OPTIONS are allowed\n")),
            };
        }
        if let Some(security) = self.security.as_ref().filter(|_| path == security_txt::PATH) {
            return match *request.method() {
                Method::GET | Method::HEAD => {
                    cacheable(plain(200, security.render(self.app.clock.now())))
                }
                Method::OPTIONS => allow_reading(plain(204, "")),
                _ => allow_reading(plain(405, "GET, HEAD and OPTIONS are allowed\n")),
            };
        }
        let reached_at = client
            .host
            .as_deref()
            .and_then(|host| self.app.urls.reached_at(client.secure.unwrap_or(false), host));
        let requested = client.host.as_deref().or_else(|| named_host(&request));
        let host = match self.sites.at_host(requested.unwrap_or_default()).await {
            Ok(host) => host,
            Err(error) => {
                tracing::error!(%error, "failed to find the sites of a host");
                return self.counted(plain(500, "the server's log describes the error\n"));
            }
        };
        // The hosts of sites have no application, so that its cookies are out of their reach.
        let has_application = host == HostSites::All;
        let has_console = has_application
            && !requested.is_some_and(|requested| self.app.urls.is_sites_host(requested));
        if has_application && socket::is_asked(&request) {
            let host = requested.unwrap_or_default().to_owned();
            let (api, app) = (Arc::clone(&self.api), Arc::clone(&self.app));
            let served = socket::Served { api, app, client, reached_at };
            return socket::open(request, &host, served, &self.workers);
        }
        let response = if has_application && is_api(path) {
            self.api_requests.fetch_add(1, Ordering::Relaxed);
            // Handing such a request over would cost more than the request itself.
            if self.api.is_short_read(request.method(), path) {
                let handled = Box::pin(self.api.handle(request, client, reached_at));
                return self.counted(handled.await);
            }
            let api = Arc::clone(&self.api);
            let handled = async move { api.handle(request, client, reached_at).await };
            Box::pin(run_on(&self.workers, handled)).await
        } else if has_console && is_console(path) {
            let console = Arc::clone(&self.console);
            let handled = async move { console.handle(request, client, reached_at).await };
            Box::pin(run_on(&self.workers, handled)).await
        } else {
            self.page_requests.fetch_add(1, Ordering::Relaxed);
            self.sites.handle(request, client.address, &host, reached_at).await
        };
        self.counted(response)
    }

    /// Counts a response if it is an error of the server.
    fn counted(&self, response: Response) -> Response {
        if response.status().is_server_error() && response.status().as_u16() != 501 {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
        response
    }
}
