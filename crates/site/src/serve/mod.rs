//! Published sites over HTTP: which site, which space, which page; and what is kept in memory.

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

/// The result of a rendering: an answer of a site in one version.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct FlightKey {
    site: SiteId,
    version: i64,
    path: String,
}

/// How much was made since the start, and not found ready.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work {
    /// Answers that were put together.
    pub answers: u64,
    /// Texts of pages that were rendered.
    pub texts: u64,
}

/// A site that was asked for something, and what it takes to answer.
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
    /// The site without any of its spaces.
    fn view(&self) -> SiteView {
        SiteView::new(self.site.site.title.clone(), self.app.urls.sites(), self.site.base())
    }
}

/// An answer, and how long it holds.
struct Made {
    prepared: Prepared,
    depends: Depends,
}

impl Made {
    /// Stands for what a rendering left undone: [`RenderWork::is_void`].
    fn nothing() -> Self {
        text(String::new())
    }
}

impl From<Prepared> for Made {
    /// It holds for one version of the site.
    fn from(prepared: Prepared) -> Self {
        Self { prepared, depends: Depends::OnAll }
    }
}

impl Sites {
    /// The sites in this server's store.
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

    /// What was made since the start.
    pub fn work(&self) -> Work {
        Work { answers: self.answers.made(), texts: self.texts.made() }
    }

    /// Answers a request from this address that is neither the API's nor the application's; with
    /// the addresses at which the reader reached the server, where they are others than the
    /// server's own.
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
                tracing::error!(%error, path, "a page failed");
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
        // Who reached the server at another address has answers of their own.
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

/// A rendering with all that it takes.
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
    /// Renders the answer, among the small ones first, and keeps it.
    async fn run(self, cancellation: Cancellation) -> Result<Arc<Prepared>> {
        let _turn = self.turns.take(self.address).await;
        let Site { id, version, .. } = self.site.site;
        // Another rendering may have ended since this one was asked for.
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
            return Err(Error::internal("nobody waits for the answer any more"));
        };
        let prepared = Arc::new(prepared);
        // Paths without a page have no end of spellings: their answers are not worth a place.
        if prepared.status() != StatusCode::OK {
            return Ok(prepared);
        }
        Ok(self.answers.insert(id, &self.kept_as, Kept::new(prepared, depends, version)))
    }

    /// Renders the answer in a place of this size; `None` where it is larger, or nobody waits.
    async fn try_as(&self, size: Size, cancellation: Cancellation) -> Result<Option<Made>> {
        let place = self.lanes.enter(size, self.site.site.organization).await;
        let (app, site, path) = (Arc::clone(&self.app), Arc::clone(&self.site), self.path.clone());
        let (texts, missing) = (Arc::clone(&self.texts), Arc::clone(&self.missing));
        let made = self.app.store.read_blocking(move |tx| {
            // Given back when the thread is free again, not when the readers have left.
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

/// Makes the answer for a path below a site.
fn render(asked: &Asked<'_>, path: &str) -> Result<Made> {
    let Asked { app, site, .. } = asked;
    let root = format!("{}{}", app.urls.sites(), site.base());
    match urls::route(path) {
        urls::Route::Redirect(target) => {
            Ok(Prepared::redirect(&format!("{}{target}", site.base())).into())
        }
        urls::Route::Robots => Ok(text(feeds::robots(&root, site.is_indexed()))),
        // Numbers that no part can have are told without a look at the pages.
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
