//! Serves published sites over HTTP: resolves a request to a site, a space and a page, and caches
//! the rendered responses.
//!
//! The futures of rare requests are boxed. A cached page is sent so fast that moving their memory
//! would take a tenth of the time.

mod api_console;
mod budget;
mod cards;
mod changes;
mod clients;
mod document;
mod embeds;
mod feedback;
mod files;
mod hosts;
mod insights;
mod known_visitors;
mod limiter;
mod lists;
mod llms;
mod locate;
mod looks;
mod markdown_reader;
mod mcp;
mod navigation;
mod negotiation;
mod not_found;
mod openapi;
mod other_sites;
mod page;
mod pdf;
mod preview;
mod received;
mod redirects;
mod rendering;
mod responses;
mod root;
mod search;
mod single_flight;
mod site_cache;
mod storage;
mod structure;
#[cfg(test)]
mod tests;
mod texts;
mod unlisted;
mod updates;
mod validity;
mod visitors;

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;

use bindery_app::content::openapi::PUBLIC_PATH as OPENAPI_FILES;
use bindery_app::publishing::adaptive::{Answers, ClaimsOf};
use bindery_app::publishing::resolve::HostSites;
use bindery_app::publishing::storage::PATH as UPLOADED_FILES;
use bindery_app::publishing::urls::{PROXIED_PATH, Urls};
use bindery_app::{App, Tx};
use bindery_http::{Body, Request, Response};
use bindery_model::{Result, SiteId};
use bindery_revision::Hash;
use http::header::{self, HeaderMap, HeaderValue};
use http::request::Parts;
use http::{Method, StatusCode};

use self::api_console::CallLimiter;
use self::budget::RenderBudget;
use self::clients::ClientLimiter;
use self::hosts::HostCache;
use self::known_visitors::KnownVisitors;
use self::limiter::{RenderLimiter, Size};
use self::locate::{Located, SiteLocation};
use self::not_found::NotFoundCache;
use self::preview::{Found, Preview};
use self::rendering::RenderJob;
use self::responses::ResponseCache;
use self::single_flight::{Cancellation, SingleFlight};
use self::site_cache::{LoadedSite, SiteCache};
use self::texts::TextCache;
use self::validity::Dependencies;
use self::visitors::{Admitted, Entrance, VisitorRequest};
use crate::http::{CacheControl, PreparedResponse};
use crate::style;
use crate::view::SiteView;

/// Path prefix of the files of published sites.
pub const FILES: &str = "/~files/";
/// Path prefix of the files of a restricted site, below its base.
const SITE_FILES: &str = "~files/";
/// Size in bytes of the caches of one preview response, which are dropped with it.
const PREVIEW_CACHE_BYTES: u64 = 1 << 20;

/// The published sites of a server.
#[derive(Debug)]
pub struct Sites {
    app: Arc<App>,
    hosts: HostCache,
    sites: SiteCache,
    visitors: KnownVisitors,
    responses: Arc<ResponseCache>,
    texts: Arc<TextCache>,
    not_found: Arc<NotFoundCache>,
    limiter: Arc<RenderLimiter>,
    single_flight: SingleFlight<FlightKey, Arc<PreparedResponse>>,
    clients: Arc<ClientLimiter>,
    /// The calls of operations with the console.
    calls: CallLimiter,
}

/// Identifies a rendering: one response of a site at one version.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct FlightKey {
    site: SiteId,
    version: i64,
    path: String,
    /// A fingerprint of the visitor's claims, if the site has adaptive content.
    visitor: Option<Hash>,
}

/// Counts of the values that were rendered since the server started instead of read from a cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RenderCounts {
    /// Responses that were rendered.
    pub responses: u64,
    /// Page texts that were rendered.
    pub texts: u64,
}

/// A request for a path of one site, with everything that rendering the response needs.
#[derive(Clone, Copy)]
struct SiteRequest<'a> {
    app: &'a App,
    tx: &'a Tx<'a>,
    site: &'a LoadedSite,
    texts: &'a TextCache,
    not_found: &'a NotFoundCache,
    budget: &'a RenderBudget,
    answers: &'a Answers,
}

impl SiteRequest<'_> {
    /// Calls a function with the request for the part of the site that the visitor sees.
    fn for_visitor<T>(self, read: impl FnOnce(&SiteRequest<'_>) -> T) -> T {
        let shown = self.site.for_visitor(self.answers);
        read(&SiteRequest { site: shown.as_ref().unwrap_or(self.site), ..self })
    }

    /// Returns the view of the site without any of its spaces.
    fn view(&self) -> SiteView {
        SiteView {
            noindex: !self.site.is_indexed(),
            is_preview: self.site.is_preview,
            proposed: self.site.proposed.clone(),
            root: self.site.root().to_owned(),
            ..SiteView::new(
                self.site.site.title.clone(),
                self.site.origin(&self.app.urls),
                self.site.base(),
            )
        }
    }
}

/// The answer to a request.
enum Answer {
    /// A response that is sent in the best encoding for the client.
    Prepared(Arc<PreparedResponse>),
    /// A response that is sent as it is.
    Direct(Box<Response>),
}

impl From<Response> for Answer {
    fn from(response: Response) -> Self {
        Self::Direct(Box::new(response))
    }
}

impl From<PreparedResponse> for Answer {
    fn from(prepared: PreparedResponse) -> Self {
        Self::Prepared(Arc::new(prepared))
    }
}

/// A request for a path that belongs to no asset and to no public file.
#[derive(Clone, Copy)]
struct PageRequest<'a> {
    method: &'a Method,
    path: &'a str,
    query: &'a str,
    headers: &'a HeaderMap,
    address: IpAddr,
}

impl<'a> PageRequest<'a> {
    /// Returns the request with a head, from this address.
    fn of(head: &'a Parts, address: IpAddr) -> Self {
        let (path, query) = (head.uri.path(), head.uri.query().unwrap_or_default());
        Self { method: &head.method, path, query, headers: &head.headers, address }
    }
}

/// The result of finding the site of a request and of admitting the visitor.
enum Arrival<'a> {
    /// A preview: the id of the site and the path below it.
    Preview(&'a str),
    /// The visitor may read the site.
    Site {
        site: Arc<LoadedSite>,
        /// The path below the base of the site, encoded; `None` if there is no slash after the base.
        below: Option<&'a str>,
        admitted: Arc<Admitted>,
    },
    /// The answer to the request.
    Answer(Answer),
}

/// A check of the visitor of a request.
type Admit = fn(&App, &LoadedSite, &KnownVisitors, VisitorRequest<'_>) -> Result<Entrance>;

/// The address of a page of one site.
struct PageAddress<'a> {
    /// The path below the base of the site, encoded.
    below: &'a str,
    /// The origin of the server as the reader sees it, if it is not the configured one.
    origin: Option<String>,
    /// The address of the reader.
    address: IpAddr,
}

/// A rendered response with the content that it depends on.
struct RenderedResponse {
    prepared: PreparedResponse,
    dependencies: Dependencies,
}

impl RenderedResponse {
    /// Returns a placeholder for a rendering that was cut short: [`RenderBudget::is_discarded`].
    fn discarded() -> Self {
        PreparedResponse::page(String::new(), CacheControl::Revalidate).into()
    }
}

impl From<PreparedResponse> for RenderedResponse {
    /// Returns a response that is valid for one version of the site.
    fn from(prepared: PreparedResponse) -> Self {
        Self { prepared, dependencies: Dependencies::Everything }
    }
}

impl Sites {
    /// Creates the sites in this server's store.
    pub fn new(app: Arc<App>) -> Self {
        let limits = app.limits;
        Self {
            app,
            hosts: HostCache::default(),
            sites: SiteCache::default(),
            visitors: KnownVisitors::default(),
            responses: Arc::new(ResponseCache::new(limits.page_cache_bytes)),
            texts: Arc::new(TextCache::new(limits.text_cache_bytes)),
            not_found: Arc::default(),
            limiter: Arc::default(),
            single_flight: SingleFlight::default(),
            clients: Arc::default(),
            calls: CallLimiter::default(),
        }
    }

    /// Returns the counts of rendered values since the server started.
    pub fn render_counts(&self) -> RenderCounts {
        RenderCounts { responses: self.responses.rendered(), texts: self.texts.rendered() }
    }

    /// Returns the sites that a host leads to.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn at_host(&self, host: &str) -> Result<HostSites> {
        self.hosts.get(&self.app, host).await
    }

    /// Responds to a request from this address that belongs neither to the API nor to the
    /// application. `host` holds the sites that the requested host leads to, `reached_at` the
    /// server's addresses as the reader sees them, if they differ from the configured ones.
    pub async fn handle(
        &self,
        request: Request,
        address: IpAddr,
        host: &HostSites,
        reached_at: Option<Urls>,
    ) -> Response {
        if let Some(rest) = shared_path(request.uri().path()).strip_prefix(UPLOADED_FILES) {
            let rest = rest.to_owned();
            return Box::pin(storage::handle(&self.app, rest, request)).await;
        }
        if let Some(rest) = shared_path(request.uri().path()).strip_prefix(OPENAPI_FILES) {
            let rest = rest.to_owned();
            return Box::pin(openapi::handle(&self.app, rest, &request)).await;
        }
        if request.method() == Method::POST && feedback::is_addressed(request.uri().path()) {
            return Box::pin(self.receive_feedback(request, address, host, reached_at)).await;
        }
        if request.method() == Method::POST && insights::is_addressed(request.uri().path()) {
            return Box::pin(self.receive_event(request, address, host, reached_at)).await;
        }
        if api_console::is_addressed(request.uri().path()) {
            return Box::pin(self.serve_console(request, address, host, reached_at)).await;
        }
        if mcp::is_addressed(request.uri().path()) {
            return Box::pin(self.serve_mcp(request, address, host, reached_at)).await;
        }
        let method = request.method().clone();
        if !matches!(method, Method::GET | Method::HEAD) {
            let text = "This address answers only requests to read it.\n";
            return not_allowed(&method, "GET, HEAD, OPTIONS", text);
        }
        let path = request.uri().path();
        if let Some(name) = shared_path(path).strip_prefix(style::ASSETS) {
            return match style::asset(name) {
                Some(asset) => send(&asset, &method, request.headers()),
                None => plain(404, "not found\n"),
            };
        }
        if let Some(rest) = path.strip_prefix(FILES) {
            let query = request.uri().query().unwrap_or_default();
            let served = files::serve(&self.app, rest, query, &method, request.headers());
            return Box::pin(served).await;
        }
        let query = request.uri().query().unwrap_or_default();
        let headers = request.headers();
        let page_request = PageRequest { method: &method, path, query, headers, address };
        match self.respond(page_request, host, reached_at).await {
            Ok(Answer::Prepared(prepared)) => send(&prepared, &method, headers),
            Ok(Answer::Direct(response)) => *response,
            Err(error) => {
                let path = visitors::without_key(path);
                tracing::error!(%error, path, "failed to render a page");
                plain(500, "This page could not be shown. The server's log says why.\n")
            }
        }
    }

    async fn respond(
        &self,
        request: PageRequest<'_>,
        host: &HostSites,
        reached_at: Option<Urls>,
    ) -> Result<Answer> {
        let origin = reached_at.as_ref().map(|urls| urls.base().to_owned());
        let app = self.app.reached_at(reached_at);
        if request.path.starts_with(other_sites::PATH) {
            return Box::pin(other_sites::to_site(&app, request.path)).await;
        }
        let entered = self.enter(&app, host, request, visitors::enter).await?;
        let (site, below, admitted) = match entered {
            Arrival::Preview(rest) => return Box::pin(self.preview(app, rest, request)).await,
            Arrival::Answer(answer) => return Ok(answer),
            Arrival::Site { site, below, admitted } => (site, below, admitted),
        };
        let Some(below) = below else {
            return Ok(PreparedResponse::redirect(&site.base()).into());
        };
        let claims = admitted.claims.clone();
        let has_files = site.is_private() || claims.is_some();
        if let Some(file) = below.strip_prefix(SITE_FILES).filter(|_| has_files) {
            let shown = site.for_visitor(&Answers::new(claims));
            let served = self.file(shown.as_ref().unwrap_or(&site), file, request);
            return Ok(Box::pin(served).await);
        }
        if let Some(file) = below.strip_prefix(SITE_FILES).filter(|_| site.root() != "/") {
            let PageRequest { method, query, headers, .. } = request;
            let served = files::serve(&app, file, query, method, headers);
            return Ok(Box::pin(served).await.into());
        }
        if let Some(picture) = below.strip_prefix(embeds::FOLDER) {
            let shown = site.for_visitor(&Answers::new(claims));
            let site = shown.as_ref().unwrap_or(&site);
            return Ok(Box::pin(embeds::serve(&app, site, picture, request)).await.into());
        }
        if let Some(path) = below.strip_prefix(pdf::FOLDER) {
            return Box::pin(pdf::serve(&app, site, &admitted, path, request)).await;
        }
        if let Some(space) = search::space_path(below) {
            return Box::pin(self.search(&app, site, &admitted, space, request)).await;
        }
        let cookie = match claims {
            Some(_) => visitors::claims_cookie(&app, &site, request.query, &admitted.visitor),
            None => None,
        };
        let markdown = negotiation::markdown_path(&site, below, request.headers, claims.as_ref());
        let below = markdown.as_deref().unwrap_or(below);
        let of_page = PageAddress { below, origin, address: request.address };
        let prepared = self.page(app, site, of_page, claims).await?;
        Ok(with_cookie(prepared, cookie, request))
    }

    /// Finds the site of a request and has the visitor admitted to it by `admit`.
    async fn enter<'a>(
        &self,
        app: &Arc<App>,
        host: &HostSites,
        request: PageRequest<'a>,
        admit: Admit,
    ) -> Result<Arrival<'a>> {
        let (site, location) = match locate::locate(app, &self.sites, host, request).await? {
            Located::Preview(rest) => return Ok(Arrival::Preview(rest)),
            Located::Answer(answer) => return Ok(Arrival::Answer(answer)),
            Located::Site(site, location) => (site, location),
        };
        let SiteLocation { below, has_moved } = location;
        let of_visitor = VisitorRequest {
            path: below.unwrap_or_default(),
            query: request.query,
            headers: request.headers,
        };
        if has_moved {
            return Ok(Arrival::Answer(match visitors::redirect_to_site(app, &site, of_visitor) {
                Some(redirect) => redirect.into(),
                None => root::unknown_site(app).into(),
            }));
        }
        Ok(match admit(app, &site, &self.visitors, of_visitor)? {
            Entrance::Admitted(admitted) => Arrival::Site { site, below, admitted },
            Entrance::Redirected(answer) => Arrival::Answer(answer),
            Entrance::Absent => Arrival::Answer(root::unknown_site(app).into()),
        })
    }

    /// Responds with a file of a restricted site, whose visitor was admitted.
    async fn file(&self, site: &LoadedSite, file: &str, request: PageRequest<'_>) -> Answer {
        let PageRequest { method, headers, .. } = request;
        files::serve_of_site(&self.app, site, file, method, headers).await.into()
    }

    /// Reads a site as a visitor sees it.
    async fn read_as_visitor<T: Send + 'static>(
        &self,
        app: &Arc<App>,
        site: Arc<LoadedSite>,
        claims: Option<ClaimsOf>,
        read: impl FnOnce(&SiteRequest<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let app = Arc::clone(app);
        let (texts, not_found) = (Arc::clone(&self.texts), Arc::clone(&self.not_found));
        let store = Arc::clone(&app);
        let done = store.store.read_blocking(move |tx| {
            let answers = Answers::new(claims);
            SiteRequest {
                app: &app,
                tx,
                site: &site,
                texts: &texts,
                not_found: &not_found,
                budget: &RenderBudget::new(Size::Small, Cancellation::default()),
                answers: &answers,
            }
            .for_visitor(read)
        });
        done.await
    }

    /// Responds with a preview of a site. Previews are read by few people and never cached.
    async fn preview(&self, app: Arc<App>, rest: &str, request: PageRequest<'_>) -> Result<Answer> {
        let PageRequest { query, headers, address, .. } = request;
        let preview = match preview::find(&app, rest, query, headers).await? {
            Found::Preview(preview) => *preview,
            Found::Answer(answer) => return Ok(answer),
        };
        let Preview { site, path, visitor, claims } = preview;
        if let Some(file) = path.strip_prefix(SITE_FILES) {
            let shown = site.for_visitor(&Answers::new(claims));
            return Ok(self.file(shown.as_ref().unwrap_or(&site), file, request).await);
        }
        if let Some(picture) = path.strip_prefix(embeds::FOLDER) {
            return Ok(embeds::serve(&app, &site, picture, request).await.into());
        }
        if let Some(path) = path.strip_prefix(pdf::FOLDER) {
            let admitted = Arc::new(Admitted { visitor, claims });
            return pdf::serve(&app, Arc::new(site), &admitted, path, request).await;
        }
        if let Some(space) = search::space_path(&path) {
            let admitted = Admitted { visitor, claims };
            return self.search(&app, Arc::new(site), &admitted, space, request).await;
        }
        let cookie = match claims {
            Some(_) => visitors::claims_cookie(&app, &site, query, &visitor),
            None => None,
        };
        let markdown = negotiation::markdown_path(&site, &path, headers, claims.as_ref());
        let path = markdown.unwrap_or(path);
        let job = RenderJob {
            app,
            site: Arc::new(site),
            cache_key: path.clone(),
            path,
            responses: Arc::new(ResponseCache::new(PREVIEW_CACHE_BYTES)),
            texts: Arc::new(TextCache::new(PREVIEW_CACHE_BYTES)),
            not_found: Arc::default(),
            limiter: Arc::clone(&self.limiter),
            clients: Arc::clone(&self.clients),
            address,
            claims,
        };
        let prepared = job.run(Cancellation::default()).await?;
        Ok(with_cookie(prepared, cookie, request))
    }

    /// Returns the response for a path below a site, from the cache if the cached one is valid.
    ///
    /// All visitors who may read the site get the same response, or on a site with adaptive content
    /// those for whom its conditions have the same results.
    async fn page(
        &self,
        app: Arc<App>,
        site: Arc<LoadedSite>,
        PageAddress { below, origin, address }: PageAddress<'_>,
        claims: Option<ClaimsOf>,
    ) -> Result<Arc<PreparedResponse>> {
        let LoadedSite { site: row, changes, .. } = &*site;
        let (id, version) = (row.id, row.version);
        // Responses contain absolute addresses, so requests that reached the server at another
        // address have cache entries of their own.
        let cache_key = match &origin {
            None => Cow::Borrowed(below),
            Some(origin) => Cow::Owned(format!("{origin}\n{below}")),
        };
        let state = (version, &**changes);
        if let Some(prepared) = self.responses.get(id, &cache_key, claims.as_ref(), state) {
            return Ok(prepared);
        }
        let visitor = claims.as_ref().map(ClaimsOf::digest);
        let key = FlightKey { site: id, version, path: cache_key.into_owned(), visitor };
        let job = RenderJob {
            app,
            site,
            path: below.to_owned(),
            cache_key: key.path.clone(),
            responses: Arc::clone(&self.responses),
            texts: Arc::clone(&self.texts),
            not_found: Arc::clone(&self.not_found),
            limiter: Arc::clone(&self.limiter),
            clients: Arc::clone(&self.clients),
            address,
            claims,
        };
        Box::pin(self.single_flight.join(key, |cancellation| job.run(cancellation))).await
    }
}

/// Returns the path of a request without the beginning of the addresses from which another server
/// takes a site. The files that all sites have in common are there, too.
fn shared_path(path: &str) -> &str {
    let below =
        path.strip_prefix(PROXIED_PATH).and_then(|rest| rest.find("/~").map(|at| (rest, at)));
    below.and_then(|(rest, at)| rest.get(at..)).unwrap_or(path)
}

/// Returns the answer with a response and a cookie.
fn with_cookie(
    prepared: Arc<PreparedResponse>,
    cookie: Option<String>,
    request: PageRequest<'_>,
) -> Answer {
    let Some(cookie) = cookie else { return Answer::Prepared(prepared) };
    let mut response = send(&prepared, request.method, request.headers);
    add_cookie(&mut response, Some(&cookie));
    response.into()
}

/// Adds a cookie to a response, which then is for its receiver only.
fn add_cookie(response: &mut Response, cookie: Option<&str>) {
    let Some(cookie) = cookie.and_then(|cookie| HeaderValue::from_str(cookie).ok()) else { return };
    response.headers_mut().append(header::SET_COOKIE, cookie);
    let private = HeaderValue::from_static("private, no-cache");
    response.headers_mut().insert(header::CACHE_CONTROL, private);
}

fn send(prepared: &PreparedResponse, method: &Method, headers: &HeaderMap) -> Response {
    prepared.to_response(method, headers).map(Body::from)
}

fn plain(status: u16, text: &'static str) -> Response {
    PreparedResponse::new(status, "text/plain; charset=utf-8", CacheControl::Revalidate, text)
        .to_response(&Method::GET, &HeaderMap::new())
        .map(Body::from)
}

/// Responds to a request with a method that the address does not have: to `OPTIONS` with the methods
/// that it has, to others with 405 and a text.
fn not_allowed(method: &Method, allowed: &'static str, text: &'static str) -> Response {
    let mut response = match *method {
        Method::OPTIONS => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NO_CONTENT;
            response
        }
        _ => plain(405, text),
    };
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}
