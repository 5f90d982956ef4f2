//! Published sites over HTTP: which site, which space, which page; and what is kept in memory.

mod addresses;
mod answers;
mod document;
mod files;
mod home;
mod kept;
mod loaded;
mod navigation;
mod page;
#[cfg(test)]
mod tests;
mod texts;

use std::borrow::Cow;
use std::sync::Arc;

use bindery_app::App;
use bindery_app::urls::Urls;
use bindery_http::{Body, Request, Response};
use bindery_model::Result;
use bindery_store::Tx;
use http::header::{HeaderMap, HeaderValue};
use http::{Method, StatusCode};

use self::answers::Answers;
use self::kept::{Depends, Kept};
use self::loaded::{LoadedSite, SiteCache};
use self::texts::Texts;
use crate::http::{CacheControl, Prepared};
use crate::view::SiteView;
use crate::{feeds, style, urls};

/// The published sites of a server.
#[derive(Debug)]
pub struct Sites {
    app: Arc<App>,
    sites: SiteCache,
    answers: Answers,
    texts: Arc<Texts>,
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
            answers: Answers::new(limits.kept_pages),
            texts: Arc::new(Texts::new(limits.kept_texts)),
        }
    }

    /// What was made since the start.
    pub fn work(&self) -> Work {
        Work { answers: self.answers.made(), texts: self.texts.made() }
    }

    /// Answers a request that is neither the API's nor the application's; with the addresses at
    /// which the reader reached the server, where they are others than the server's own.
    pub async fn handle(&self, request: Request, reached_at: Option<Urls>) -> Response {
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
        match self.prepared(path, reached_at).await {
            Ok(prepared) => send(&prepared, &method, request.headers()),
            Err(error) => {
                tracing::error!(%error, path, "a page failed");
                plain(500, "This page could not be shown. The server's log says why.\n")
            }
        }
    }

    async fn prepared(&self, path: &str, reached_at: Option<Urls>) -> Result<Arc<Prepared>> {
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
        let wanted = below.to_owned();
        let texts = Arc::clone(&self.texts);
        let made = self.app.store.read_blocking(move |tx| {
            render(&Asked { app: &app, tx, site: &site, texts: &texts }, &wanted)
        });
        let Made { prepared, depends } = made.await?;
        let prepared = Arc::new(prepared);
        // What is not there has no end of spellings: it is not worth a place.
        if prepared.status() != StatusCode::OK {
            return Ok(prepared);
        }
        Ok(self.answers.insert(id, &kept_as, Kept::new(prepared, depends, version)))
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
