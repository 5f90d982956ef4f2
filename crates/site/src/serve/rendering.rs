//! Renders the responses of sites: chooses what a path addresses, within the limits of a rendering.

use std::net::IpAddr;
use std::sync::Arc;

use bindery_app::App;
use bindery_app::publishing::adaptive::{Answers, ClaimsOf};
use bindery_app::publishing::sites::Site;
use bindery_model::{Error, Result};
use http::StatusCode;

use super::budget::RenderBudget;
use super::clients::ClientLimiter;
use super::limiter::{RenderLimiter, RenderPermit, Size};
use super::not_found::NotFoundCache;
use super::responses::{AskedQuestions, ResponseCache};
use super::single_flight::Cancellation;
use super::site_cache::LoadedSite;
use super::texts::TextCache;
use super::validity::CacheEntry;
use super::{
    RenderedResponse, SiteRequest, cards, changes, feedback, lists, llms, other_sites, page,
    redirects, search, updates,
};
use crate::http::PreparedResponse;
use crate::urls;

/// A rendering that owns everything it needs.
pub(super) struct RenderJob {
    pub(super) app: Arc<App>,
    pub(super) site: Arc<LoadedSite>,
    pub(super) path: String,
    pub(super) cache_key: String,
    pub(super) responses: Arc<ResponseCache>,
    pub(super) texts: Arc<TextCache>,
    pub(super) not_found: Arc<NotFoundCache>,
    pub(super) limiter: Arc<RenderLimiter>,
    pub(super) clients: Arc<ClientLimiter>,
    pub(super) address: IpAddr,
    /// The claims of the visitor; `None` for a site without adaptive content.
    pub(super) claims: Option<ClaimsOf>,
}

/// A rendered response with the questions that it asked.
type Rendered = (RenderedResponse, AskedQuestions);

impl RenderJob {
    /// Renders the response, as a small rendering first and as a large one if that is not enough,
    /// and caches it.
    pub(super) async fn run(self, cancellation: Cancellation) -> Result<Arc<PreparedResponse>> {
        let _permit = self.clients.acquire(self.address).await;
        let Site { id, version, .. } = self.site.site;
        // Another rendering of the same response may have finished while this one waited for its
        // turn.
        if let Some(cached) = self.cached() {
            return Ok(cached);
        }
        let mut rendered = None;
        for size in [Size::Small, Size::Large] {
            let permit = self.limiter.acquire(size, self.site.site.organization).await;
            if let Some(cached) = self.cached() {
                return Ok(cached);
            }
            rendered = self.render_as(size, permit, cancellation.clone()).await?;
            if rendered.is_some() {
                break;
            }
        }
        let Some((RenderedResponse { prepared, dependencies }, asked)) = rendered else {
            return Err(Error::internal(
                "the rendering was cancelled because no request waits for it",
            ));
        };
        let prepared = match self.site.is_indexed() {
            true => prepared,
            false => prepared.unlisted(self.site.is_private()),
        };
        // The headers of an address without a page do not tell whether others find a page there.
        let is_absent = self.claims.is_some() && prepared.status() != StatusCode::OK;
        let is_personal = is_absent || !asked.is_empty();
        let prepared = if is_personal { prepared.personal() } else { prepared };
        let prepared = Arc::new(prepared);
        // Paths without a page can be spelled in unlimited ways, so their responses are not cached.
        if prepared.status() != StatusCode::OK {
            return Ok(prepared);
        }
        Ok(self.responses.insert(
            id,
            &self.cache_key,
            &asked,
            CacheEntry::new(prepared, dependencies, version),
        ))
    }

    fn cached(&self) -> Option<Arc<PreparedResponse>> {
        let Site { id, version, .. } = self.site.site;
        let state = (version, &*self.site.changes);
        self.responses.get(id, &self.cache_key, self.claims.as_ref(), state)
    }

    /// Renders the response within the limits of `size`. Returns `None` if the response exceeds
    /// them or no request waits for it.
    async fn render_as(
        &self,
        size: Size,
        permit: Option<RenderPermit>,
        cancellation: Cancellation,
    ) -> Result<Option<Rendered>> {
        let (app, site, path) = (Arc::clone(&self.app), Arc::clone(&self.site), self.path.clone());
        let (texts, not_found) = (Arc::clone(&self.texts), Arc::clone(&self.not_found));
        let claims = self.claims.clone();
        let rendered = self.app.store.read_blocking(move |tx| {
            // The permit is released when the thread is free again, even if the readers left
            // earlier.
            let _permit = permit;
            let budget = RenderBudget::new(size, cancellation);
            let answers = Answers::new(claims);
            let request = SiteRequest {
                app: &app,
                tx,
                site: &site,
                texts: &texts,
                not_found: &not_found,
                budget: &budget,
                answers: &answers,
            };
            let rendered = request.for_visitor(|request| render(request, &path))?;
            let is_complete = !budget.is_discarded();
            Ok::<_, Error>(is_complete.then(|| (rendered, answers.into_asked())))
        });
        rendered.await
    }
}

/// Renders the response for a path below a site.
fn render(request: &SiteRequest<'_>, path: &str) -> Result<RenderedResponse> {
    let site = request.site;
    match urls::route(path) {
        urls::Route::Redirect(target) => match urls::route(&target) {
            urls::Route::Page(wanted) if site.is_space_root(&wanted) => {
                let target = format!("{target}/");
                match target == path {
                    true => page::render_html(request, &wanted),
                    false => redirects::respelled(request, path, &target),
                }
            }
            _ => redirects::respelled(request, path, &target),
        },
        urls::Route::Robots => Ok(lists::robots(request)),
        urls::Route::Sitemap(part) => lists::sitemap(request, part, path),
        urls::Route::Llms => llms::of_site(request),
        urls::Route::LlmsFull => lists::llms_full(request),
        urls::Route::Feed => changes::of_site(request),
        urls::Route::Page(wanted) if site.is_space_root(&wanted) => {
            redirects::respelled(request, path, &format!("{}/", urls::encode(&wanted)))
        }
        urls::Route::Page(wanted) => {
            if let Some((space, file)) = llms::file_at(&wanted)
                && let Some(response) = llms::of_space(request, space, file)?
            {
                return Ok(response);
            }
            match changes::space_path(&wanted).filter(|space| site.is_space_root(space)) {
                Some(space) => changes::of_space(request, space),
                None => page::render_html(request, &wanted),
            }
        }
        urls::Route::Updates(wanted) => updates::respond(request, &wanted),
        urls::Route::Markdown(wanted) => page::render_markdown(request, &wanted),
        urls::Route::Reserved(reserved) => {
            if let Some(named) = other_sites::named(&reserved) {
                return other_sites::respond(request, named, path);
            }
            if format!("~{reserved}") == urls::OPEN_SEARCH {
                return Ok(search::describe(request));
            }
            if let Some(page) = search::related_path(&reserved) {
                return search::related(request, page);
            }
            match (cards::page_path(&reserved), feedback::page_path(&reserved)) {
                (Some(page), _) => cards::respond(request, page),
                (None, Some(page)) => {
                    let page = format!("{}{}", site.base(), urls::encode(page));
                    Ok(PreparedResponse::redirect(&page).into())
                }
                (None, None) => page::not_found(request, path),
            }
        }
        urls::Route::Malformed => page::not_found(request, path),
    }
}
