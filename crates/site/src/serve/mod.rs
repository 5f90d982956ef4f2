//! Serves published sites over HTTP: resolves a request to a site, a space and a page, and caches
//! the rendered responses.

mod addresses;
mod answers;
mod document;
mod files;
mod flights;
mod home;
mod kept;
mod lanes;
mod loaded;
mod missing;
mod navigation;
mod page;
#[cfg(test)]
mod tests;
mod texts;
mod turns;
mod work;

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;

use bindery_app::App;
use bindery_app::urls::Urls;
use bindery_http::{Body, Request, Response};
use bindery_model::{Error, Result, SiteId};
use bindery_store::Tx;
use bindery_store::sites::Site;
use http::header::{HeaderMap, HeaderValue};
use http::{Method, StatusCode};

use self::answers::Answers;
use self::flights::{Cancellation, Flights};
use self::kept::{Depends, Kept};
use self::lanes::{Lanes, Size};
use self::loaded::{LoadedSite, SiteCache};
use self::missing::MissingIndexes;
use self::texts::Texts;
use self::turns::Turns;
use self::work::RenderWork;
use crate::http::{CacheControl, Prepared};
use crate::view::SiteView;
use crate::{feeds, style, urls};

/// The published sites of a server.
#[derive(Debug)]
pub struct Sites {
    app: Arc<App>,
    sites: SiteCache,
    answers: Arc<Answers>,
    texts: Arc<Texts>,
    missing: Arc<MissingIndexes>,
    lanes: Arc<Lanes>,
    flights: Flights<FlightKey, Arc<Prepared>>,
    turns: Arc<Turns>,
}

/// Identifies a rendering: one response of a site at one version.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct FlightKey {
    site: SiteId,
    version: i64,
    path: String,
}

/// Counts of the values that were rendered since the server started instead of read from a cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work {
    /// Responses that were rendered.
    pub answers: u64,
    /// Page texts that were rendered.
    pub texts: u64,
}

/// A request for a path of one site, with everything that rendering the response needs.
#[derive(Clone, Copy)]
struct Asked<'a> {
    app: &'a App,
    tx: &'a Tx<'a>,
    site: &'a LoadedSite,
    texts: &'a Texts,
    missing: &'a MissingIndexes,
    work: &'a RenderWork,
}

impl Asked<'_> {
    /// Returns the view of the site without any of its spaces.
    fn view(&self) -> SiteView {
        SiteView::new(self.site.site.title.clone(), self.app.urls.sites(), self.site.base())
    }
}

/// A rendered response with the content that it depends on.
struct Made {
    prepared: Prepared,
    depends: Depends,
}

impl Made {
    /// Returns a placeholder for a rendering that was cut short: [`RenderWork::is_void`].
    fn nothing() -> Self {
        text(String::new())
    }
}

impl From<Prepared> for Made {
    /// Returns a response that is valid for one version of the site.
    fn from(prepared: Prepared) -> Self {
        Self { prepared, depends: Depends::OnAll }
    }
}

impl Sites {
    /// Creates the sites in this server's store.
    pub fn new(app: Arc<App>) -> Self {
        let limits = app.limits;
        Self {
            app,
            sites: SiteCache::default(),
            answers: Arc::new(Answers::new(limits.kept_pages)),
            texts: Arc::new(Texts::new(limits.kept_texts)),
            missing: Arc::default(),
            lanes: Arc::default(),
            flights: Flights::default(),
            turns: Arc::default(),
        }
    }

    /// Returns the counts of rendered values since the server started.
    pub fn work(&self) -> Work {
        Work { answers: self.answers.made(), texts: self.texts.made() }
    }

    /// Responds to a request from this address that belongs neither to the API nor to the
    /// application. `reached_at` holds the server's addresses as the reader sees them, if they
    /// differ from the configured ones.
    pub async fn handle(
        &self,
        request: Request,
        address: IpAddr,
        reached_at: Option<Urls>,
    ) -> Response {
        let method = request.method().clone();
        if !matches!(method, Method::GET | Method::HEAD | Method::OPTIONS) {
            return not_allowed(StatusCode::METHOD_NOT_ALLOWED);
        }
        if method == Method::OPTIONS {
            return not_allowed(StatusCode::NO_CONTENT);
        }
        let path = request.uri().path();
        if let Some(name) = path.strip_prefix(style::ASSETS) {
            return match style::asset(name) {
                Some(asset) => send(&asset, &method, request.headers()),
                None => plain(404, "not found\n"),
            };
        }
        if let Some(rest) = path.strip_prefix("/~files/") {
            let query = request.uri().query().unwrap_or_default();
            return files::serve(&self.app, rest, query, &method, request.headers()).await;
        }
        match self.prepared(path, address, reached_at).await {
            Ok(prepared) => send(&prepared, &method, request.headers()),
            Err(error) => {
                tracing::error!(%error, path, "failed to render a page");
                plain(500, "This page could not be shown. The server's log says why.\n")
            }
        }
    }

    async fn prepared(
        &self,
        path: &str,
        address: IpAddr,
        reached_at: Option<Urls>,
    ) -> Result<Arc<Prepared>> {
        let origin = reached_at.as_ref().map(|urls| urls.base().to_owned());
        let app = self.app.reached_at(reached_at);
        let path = path.strip_prefix('/').unwrap_or(path);
        let (basename, below) = match path.split_once('/') {
            Some((basename, below)) => (basename, Some(below)),
            None => (path, None),
        };
        match basename {
            "" => return home::page(&app).await.map(Arc::new),
            "robots.txt" => return home::robots(&app).await.map(Arc::new),
            "favicon.ico" => return Ok(Arc::new(Prepared::redirect(style::favicon().path()))),
            _ => {}
        }
        let Some(site) = self.sites.get(&self.app, basename).await? else {
            return Ok(Arc::new(home::unknown(&app)));
        };
        let Some(below) = below else {
            return Ok(Arc::new(Prepared::redirect(&format!("/{basename}/"))));
        };
        let LoadedSite { site: row, changes, .. } = &*site;
        let (id, version) = (row.id, row.version);
        // Responses contain absolute addresses, so requests that reached the server at another
        // address have cache entries of their own.
        let kept_as = match &origin {
            None => Cow::Borrowed(below),
            Some(origin) => Cow::Owned(format!("{origin}\n{below}")),
        };
        if let Some(prepared) = self.answers.get(id, &kept_as, version, changes) {
            return Ok(prepared);
        }
        let key = FlightKey { site: id, version, path: kept_as.into_owned() };
        let job = Job {
            app,
            site,
            path: below.to_owned(),
            kept_as: key.path.clone(),
            answers: Arc::clone(&self.answers),
            texts: Arc::clone(&self.texts),
            missing: Arc::clone(&self.missing),
            lanes: Arc::clone(&self.lanes),
            turns: Arc::clone(&self.turns),
            address,
        };
        self.flights.join(key, |cancellation| job.run(cancellation)).await
    }
}

/// A rendering that owns everything it needs.
struct Job {
    app: Arc<App>,
    site: Arc<LoadedSite>,
    path: String,
    kept_as: String,
    answers: Arc<Answers>,
    texts: Arc<Texts>,
    missing: Arc<MissingIndexes>,
    lanes: Arc<Lanes>,
    turns: Arc<Turns>,
    address: IpAddr,
}

impl Job {
    /// Renders the response, as a small rendering first and as a large one if that is not enough,
    /// and caches it.
    async fn run(self, cancellation: Cancellation) -> Result<Arc<Prepared>> {
        let _turn = self.turns.take(self.address).await;
        let Site { id, version, .. } = self.site.site;
        // Another rendering of the same response may have finished while this one waited for its
        // turn.
        if let Some(kept) = self.answers.get(id, &self.kept_as, version, &self.site.changes) {
            return Ok(kept);
        }
        let mut made = None;
        for size in [Size::Small, Size::Large] {
            made = self.try_as(size, cancellation.clone()).await?;
            if made.is_some() {
                break;
            }
        }
        let Some(Made { prepared, depends }) = made else {
            return Err(Error::internal(
                "the rendering was cancelled because no request waits for it",
            ));
        };
        let prepared = Arc::new(prepared);
        // Paths without a page can be spelled in unlimited ways, so their responses are not cached.
        if prepared.status() != StatusCode::OK {
            return Ok(prepared);
        }
        Ok(self.answers.insert(id, &self.kept_as, Kept::new(prepared, depends, version)))
    }

    /// Renders the response within the limits of `size`. Returns `None` if the response exceeds
    /// them or no request waits for it.
    async fn try_as(&self, size: Size, cancellation: Cancellation) -> Result<Option<Made>> {
        let place = self.lanes.enter(size, self.site.site.organization).await;
        let (app, site, path) = (Arc::clone(&self.app), Arc::clone(&self.site), self.path.clone());
        let (texts, missing) = (Arc::clone(&self.texts), Arc::clone(&self.missing));
        let made = self.app.store.read_blocking(move |tx| {
            // The permit is released when the thread is free again, even if the readers left
            // earlier.
            let _place = place;
            let work = RenderWork::new(size, cancellation);
            let asked =
                Asked { app: &app, tx, site: &site, texts: &texts, missing: &missing, work: &work };
            let made = render(&asked, &path)?;
            Ok::<_, Error>((!work.is_void()).then_some(made))
        });
        made.await
    }
}

/// Renders the response for a path below a site.
fn render(asked: &Asked<'_>, path: &str) -> Result<Made> {
    let Asked { app, site, .. } = asked;
    let root = format!("{}{}", app.urls.sites(), site.base());
    match urls::route(path) {
        urls::Route::Redirect(target) => {
            Ok(Prepared::redirect(&format!("{}{target}", site.base())).into())
        }
        urls::Route::Robots => Ok(text(feeds::robots(&root, site.is_indexed()))),
        // Part numbers that the sitemap cannot have are rejected without reading the pages.
        urls::Route::Sitemap(Some(part)) if !feeds::may_have_part(site.most_pages(), part) => {
            Ok(Prepared::new(
                404,
                "text/plain; charset=utf-8",
                CacheControl::Revalidate,
                "not found\n",
            )
            .into())
        }
        urls::Route::Sitemap(part) => {
            let files = if site.is_indexed() {
                feeds::sitemap(&root, page::feed(asked)?)
            } else {
                Vec::new()
            };
            let name =
                part.map_or_else(|| "sitemap.xml".to_owned(), |n| format!("sitemap-{n}.xml"));
            match files.into_iter().find(|file| file.name == name) {
                Some(file) => Ok(Prepared::new(
                    200,
                    "application/xml; charset=utf-8",
                    CacheControl::Revalidate,
                    file.xml,
                )
                .into()),
                None => page::not_found(asked, path),
            }
        }
        urls::Route::Llms => {
            let entries = page::feed(asked)?;
            Ok(text(feeds::llms_txt(&site.site.title, None, entries)))
        }
        urls::Route::Page(wanted) => page::html(asked, &wanted),
        urls::Route::Markdown(wanted) => page::markdown(asked, &wanted),
        urls::Route::Door(_) | urls::Route::Malformed => page::not_found(asked, path),
    }
}

fn text(body: String) -> Made {
    Prepared::new(200, "text/plain; charset=utf-8", CacheControl::Revalidate, body).into()
}

fn send(prepared: &Prepared, method: &Method, headers: &HeaderMap) -> Response {
    prepared.answer(method, headers).map(Body::from)
}

fn plain(status: u16, text: &'static str) -> Response {
    Prepared::new(status, "text/plain; charset=utf-8", CacheControl::Revalidate, text)
        .answer(&Method::GET, &HeaderMap::new())
        .map(Body::from)
}

fn not_allowed(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(http::header::ALLOW, HeaderValue::from_static("GET, HEAD, OPTIONS"));
    response
}
