//! Published sites over HTTP: which site, which space, which page; and what is kept in memory.

mod document;
mod files;
mod home;
mod loaded;
mod navigation;
mod page;

use std::sync::Arc;

use bindery_app::App;
use bindery_http::{Body, Request, Response};
use bindery_model::{Result, SiteId};
use http::header::{HeaderMap, HeaderValue};
use http::{Method, StatusCode};

use self::loaded::{LoadedSite, SiteCache};
use crate::http::{CacheControl, Prepared, PreparedCache};
use crate::{feeds, style, urls};

/// Bytes of prepared answers that are kept.
const CACHE: u64 = 40 << 20;

/// The published sites of a server.
#[derive(Debug)]
pub struct Sites {
    app: Arc<App>,
    sites: SiteCache,
    prepared: PreparedCache<Key>,
}

/// What a prepared answer depends on: a site in one state, and what was asked of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    site: SiteId,
    version: i64,
    path: String,
}

impl Sites {
    /// The sites in this server's store.
    pub fn new(app: Arc<App>) -> Self {
        Self { app, sites: SiteCache::default(), prepared: PreparedCache::new(CACHE) }
    }

    /// Answers a request that is neither the API's nor the application's.
    pub async fn handle(&self, request: Request) -> Response {
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
        match self.prepared(path).await {
            Ok(prepared) => send(&prepared, &method, request.headers()),
            Err(error) => {
                tracing::error!(%error, path, "a page failed");
                plain(500, "This page could not be shown. The server's log says why.\n")
            }
        }
    }

    async fn prepared(&self, path: &str) -> Result<Arc<Prepared>> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let (basename, below) = match path.split_once('/') {
            Some((basename, below)) => (basename, Some(below)),
            None => (path, None),
        };
        match basename {
            "" => return home::page(&self.app).await.map(Arc::new),
            "robots.txt" => return home::robots(&self.app).await.map(Arc::new),
            "favicon.ico" => return Ok(Arc::new(Prepared::redirect(style::favicon().path()))),
            _ => {}
        }
        let Some(site) = self.sites.get(&self.app, basename).await? else {
            return Ok(Arc::new(home::unknown(&self.app)));
        };
        let Some(below) = below else {
            return Ok(Arc::new(Prepared::redirect(&format!("/{basename}/"))));
        };
        let key = Key { site: site.site.id, version: site.site.version, path: below.to_owned() };
        if let Some(prepared) = self.prepared.get(&key) {
            return Ok(prepared);
        }
        let wanted = below.to_owned();
        let app = Arc::clone(&self.app);
        let made = self.app.store.read_blocking(move |tx| render(&app, tx, &site, &wanted)).await?;
        let made = Arc::new(made);
        // What is not there has no end of spellings: it is not worth a place.
        if made.status() == StatusCode::OK {
            self.prepared.insert(key, Arc::clone(&made));
        }
        Ok(made)
    }
}

/// Makes the answer for a path below a site.
fn render(
    app: &App,
    tx: &bindery_store::Tx<'_>,
    site: &LoadedSite,
    path: &str,
) -> Result<Prepared> {
    let root = format!("{}{}", app.urls.sites(), site.base());
    match urls::route(path) {
        urls::Route::Redirect(target) => {
            Ok(Prepared::redirect(&format!("{}{target}", site.base())))
        }
        urls::Route::Robots => Ok(text(feeds::robots(&root, site.is_indexed()))),
        urls::Route::Sitemap(part) => {
            let files = if site.is_indexed() {
                feeds::sitemap(&root, page::feed(app, tx, site)?)
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
                )),
                None => page::not_found(app, tx, site, path),
            }
        }
        urls::Route::Llms => {
            let entries = page::feed(app, tx, site)?;
            Ok(text(feeds::llms_txt(&site.site.title, None, entries)))
        }
        urls::Route::Page(wanted) => page::html(app, tx, site, &wanted),
        urls::Route::Markdown(wanted) => page::markdown(app, tx, site, &wanted),
        urls::Route::Door(_) | urls::Route::Malformed => page::not_found(app, tx, site, path),
    }
}

fn text(body: String) -> Prepared {
    Prepared::new(200, "text/plain; charset=utf-8", CacheControl::Revalidate, body)
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
