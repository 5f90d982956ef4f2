//! Records what readers do on a site: searches, opened results and feedback.
//!
//! The scripts and the `ping` of results tell of shown pages, opened searches and results at an
//! address below that of the search. Queries are observed by the search itself.

use std::net::IpAddr;

use bindery_app::App;
use bindery_app::publishing::adaptive::Answers;
use bindery_app::publishing::audience::Visitor;
use bindery_app::publishing::insights::event::{PageLocation, Properties};
use bindery_app::publishing::insights::observed::{Identity, ObservedEvent, Reader, new_visitor};
use bindery_app::publishing::resolve::HostSites;
use bindery_app::publishing::urls::Urls;
use bindery_app::search::MAX_QUERY_CHARS;
use bindery_http::{Body, Request, Response};
use bindery_model::{
    Id, PageFeedbackRating, PageId, Result, SiteInsightsEventType as Type, SpaceId,
};
use http::StatusCode;
use http::header::{self, HeaderMap, HeaderValue};
use http::request::Parts;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::clients::network;
use super::page::PageContext;
use super::received::{Received, is_foreign};
use super::site_cache::{LoadedSite, LoadedSpace};
use super::visitors::{CookieJar, value_of};
use super::{PageRequest, Sites, add_cookie, plain, search, visitors};
use crate::urls::{self, Route};

/// The end of the address that is told of events, below that of the search.
const NAME: &str = "/events";
/// The answer to an event without a page.
const NO_PAGE: &str = "`page` must be the ids of a space and a page\n";
/// The cookie with the id of a visitor.
const COOKIE: &str = "bindery-visitor-id";
/// Maximum length of the names of browsers and of addresses, in bytes. Longer ones are not read.
const MAX_HEADER: usize = 2_048;
/// Maximum length of the name of a language, in bytes.
const MAX_LANGUAGE: usize = 35;

/// Returns `true` if a path is the address that is told of events.
pub(super) fn is_addressed(path: &str) -> bool {
    path.ends_with("~search/events")
}

/// Returns the address that is told when a result of a search is opened. `page` has the ids of the
/// space and of the page.
pub(super) fn ping(action: &str, query: &str, page: &str) -> String {
    let encode = |text| utf8_percent_encode(text, NON_ALPHANUMERIC);
    format!("{action}{NAME}?type=result&q={}&page={}", encode(query), encode(page))
}

/// Returns the address that is told when a page is shown; `None` in a preview.
pub(super) fn view_address(context: &PageContext<'_>, page: PageId) -> Option<String> {
    let site = context.site;
    let address = || {
        let space = context.space.space.id;
        format!("{}{}{NAME}?type=view&page={space}%2F{page}", site.base(), search::NAME)
    };
    (!site.is_preview).then(address)
}

/// A request of a reader for a part of a site.
#[derive(Clone, Copy)]
pub(super) struct Visit<'a> {
    pub(super) site: &'a LoadedSite,
    pub(super) space: &'a LoadedSpace,
    pub(super) visitor: &'a Visitor,
    pub(super) request: PageRequest<'a>,
}

/// Feedback that a reader gave.
#[derive(Clone, Copy)]
pub(super) struct GivenFeedback<'a> {
    pub(super) page: &'a PageId,
    pub(super) rating: PageFeedbackRating,
    /// `true` if the reader has rated, and not only commented on an earlier rating.
    pub(super) is_rated: bool,
    pub(super) comment: Option<&'a str>,
}

impl Visit<'_> {
    /// Records that the search was opened. Returns a new cookie.
    pub(super) fn record_search(self, app: &App) -> Option<String> {
        self.record(app, |_| Type::SearchOpen)
    }

    /// Records a query. Returns a new cookie.
    pub(super) fn record_query(
        self,
        app: &App,
        query: &str,
        total: usize,
        is_typed: bool,
    ) -> Option<String> {
        let (event, cookie) = self.observe(app, Type::SearchTypeQuery)?;
        let properties = Properties {
            query: Some(query.to_owned()),
            results: u32::try_from(total).ok(),
            ..event.properties
        };
        app.observed.push_query(ObservedEvent { properties, ..event }, is_typed);
        cookie
    }

    /// Records feedback on a page. Returns a new cookie.
    pub(super) fn record_feedback(self, app: &App, given: &GivenFeedback<'_>) -> Option<String> {
        let GivenFeedback { page, rating, is_rated, comment } = *given;
        let mut cookie = None;
        let kinds = [
            (Type::PagePostFeedback, is_rated),
            (Type::PagePostFeedbackComment, comment.is_some()),
        ];
        for (kind, _) in kinds.into_iter().filter(|(_, is_given)| *is_given) {
            let new = self.record(app, |properties| {
                properties.page = Some(page.to_string());
                properties.rating = Some(rating);
                if kind == Type::PagePostFeedbackComment {
                    properties.comment = comment.map(str::to_owned);
                }
                kind
            });
            cookie = cookie.or(new);
        }
        cookie
    }

    /// Records an event, whose type and properties the function returns and sets.
    fn record(self, app: &App, add: impl FnOnce(&mut Properties) -> Type) -> Option<String> {
        let (mut event, cookie) = self.observe(app, Type::SearchOpen)?;
        event.kind = add(&mut event.properties);
        app.observed.push(event);
        cookie
    }

    /// Returns an event with the properties of the reader, and the cookie of a new visitor. Returns
    /// `None` for a preview and for a request that is made before the reader asks.
    fn observe(self, app: &App, kind: Type) -> Option<(ObservedEvent, Option<String>)> {
        let Self { site, space, visitor, request } = self;
        let PageRequest { path, headers, address, .. } = request;
        let purpose = header_text(headers, "sec-purpose");
        if site.is_preview || purpose.contains("prefetch") {
            return None;
        }
        let user_agent = header_text(headers, header::USER_AGENT.as_str());
        let (reader, cookie) = self.reader(app, address, user_agent);
        let mut properties = Properties {
            site_section: space.site_space.section.map(|section| section.to_string()),
            site_space: Some(space.site_space.id.to_string()),
            space: Some(space.space.id.to_string()),
            share_key: visitor.share_key.clone(),
            language: language(headers),
            claims: visitor.claims.clone(),
            claims_verified: visitor.signed_in,
            ..Properties::default()
        };
        properties.set_user_agent(user_agent);
        let origin = site.origin(&app.urls);
        let referrer = header_text(headers, header::REFERER.as_str());
        // The page on which the reader was is known if the browser tells it.
        match referrer.starts_with(&format!("{origin}{}", site.base())) {
            true => properties.set_url(referrer),
            false => properties.set_url(&format!("{origin}{path}")),
        }
        let at = app.clock.now();
        Some((ObservedEvent { site: site.site.id, at, kind, reader, properties }, cookie))
    }

    /// Returns the reader, and the cookie of a new visitor.
    fn reader(self, app: &App, address: IpAddr, user_agent: &str) -> (Reader, Option<String>) {
        let Self { site, space, request, .. } = self;
        let headers = request.headers;
        let is_unwanted =
            ["sec-gpc", "dnt"].iter().any(|name| header_text(headers, name).trim() == "1");
        let setting = space.customization.pointer("/insights/trackingCookie");
        let has_cookie = setting.and_then(Value::as_bool).unwrap_or(false);
        let mut cookie = None;
        let identity = match (is_unwanted, has_cookie) {
            (true, _) => Identity::None,
            (false, false) => Identity::OfDay,
            (false, true) => {
                let base = site.base();
                let jar = CookieJar::new(app, &base);
                let known = jar.find(COOKIE, headers).filter(|value| Id::parse(value).is_some());
                Identity::Cookie(known.map_or_else(
                    || {
                        let new = new_visitor(&app.entropy);
                        cookie = Some(jar.set(COOKIE, &new, None, app.clock.now()));
                        new
                    },
                    str::to_owned,
                ))
            }
        };
        let user_agent = user_agent.to_owned();
        (Reader { network: network(address), user_agent, identity }, cookie)
    }
}

/// Returns the value of a header; empty if it is absent, too long or no text.
fn header_text<'h>(headers: &'h HeaderMap, name: &str) -> &'h str {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.filter(|value| value.len() <= MAX_HEADER).unwrap_or_default()
}

/// Returns the language that the reader prefers.
fn language(headers: &HeaderMap) -> Option<String> {
    let languages = header_text(headers, header::ACCEPT_LANGUAGE.as_str());
    let first = languages.split([',', ';']).next().unwrap_or_default().trim();
    let is_language = !matches!(first, "" | "*") && first.len() <= MAX_LANGUAGE;
    is_language.then(|| first.to_owned())
}

impl Sites {
    /// Responds to a request that tells of an event.
    pub(super) async fn receive_event(
        &self,
        request: Request,
        address: IpAddr,
        host: &HostSites,
        reached_at: Option<Urls>,
    ) -> Response {
        let (head, _) = request.into_parts();
        match self.answer_event(&head, address, host, reached_at).await {
            Ok(response) => response,
            Err(error) => {
                tracing::error!(%error, "failed to record an event of a reader");
                plain(500, "The event could not be recorded. The server's log says why.\n")
            }
        }
    }

    async fn answer_event(
        &self,
        head: &Parts,
        address: IpAddr,
        host: &HostSites,
        reached_at: Option<Urls>,
    ) -> Result<Response> {
        if is_foreign(&head.headers) {
            return Ok(plain(403, "the event was sent by a page of another site\n"));
        }
        let app = self.app.reached_at(reached_at);
        let request = PageRequest::of(head, address);
        let received = self.receive(&app, host, request, visitors::enter).await?;
        let (site, below, admitted) = match received {
            Received::Site { site, below, admitted } => (site, below, admitted),
            // Nothing is recorded of previews.
            Received::Preview => return Ok(no_content(None)),
            Received::Answer(response) => return Ok(*response),
        };
        let shown = site.for_visitor(&Answers::new(admitted.claims.clone()));
        let site = shown.as_ref().unwrap_or(&site);
        let path = below.strip_suffix(NAME).and_then(search::space_path).map(urls::route);
        let Some(Route::Page(path)) = path else { return Ok(plain(404, "not found\n")) };
        let Some((space, "")) = site.resolve(&path) else { return Ok(plain(404, "not found\n")) };
        let visit = Visit { site, space, visitor: &admitted.visitor, request };
        let parameter = |name| value_of(request.query, name).unwrap_or_default();
        match parameter("type").as_str() {
            "open" => Ok(no_content(visit.record_search(&app))),
            "view" => {
                let Some((space, page)) = named(site, &parameter("page")) else {
                    return Ok(plain(400, NO_PAGE));
                };
                let from = parameter("from");
                Ok(no_content(Visit { space, ..visit }.record(&app, |properties| {
                    properties.page = Some(page.to_string());
                    if from.len() <= MAX_HEADER {
                        properties.set_referrer(&from);
                    }
                    Type::PageView
                })))
            }
            "result" => {
                let Some((space, page)) = named(site, &parameter("page")) else {
                    return Ok(plain(400, NO_PAGE));
                };
                let (space, page) = (space.space.id.to_string(), page.to_string());
                let result = PageLocation { space, page };
                let query = parameter("q").chars().take(MAX_QUERY_CHARS).collect();
                Ok(no_content(visit.record(&app, |properties| {
                    properties.query = Some(query);
                    properties.result = Some(result);
                    Type::SearchOpenResult
                })))
            }
            _ => Ok(plain(400, "`type` must be `view`, `open` or `result`\n")),
        }
    }
}

/// Returns the space of the site and the page that two ids name.
fn named<'s>(site: &'s LoadedSite, ids: &str) -> Option<(&'s LoadedSpace, PageId)> {
    let (space, page) = ids.split_once('/')?;
    let (space, page) = (SpaceId::parse(space)?, PageId::parse(page)?);
    Some((site.spaces.iter().find(|one| one.space.id == space)?, page))
}

fn no_content(cookie: Option<String>) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let private = HeaderValue::from_static("private, no-cache");
    response.headers_mut().insert(header::CACHE_CONTROL, private);
    add_cookie(&mut response, cookie.as_deref());
    response
}
