//! Receives the ratings and comments that readers give with the form on a page.
//!
//! The form needs no scripts: the answer to a rating is a page with a form for a comment.

use std::net::IpAddr;
use std::sync::Arc;

use bindery_app::publishing::page_feedback::{
    self, NewFeedback, PageFeedbackRating, Reader, checked_comment,
};
use bindery_app::publishing::resolve::HostSites;
use bindery_app::publishing::urls::Urls;
use bindery_http::{ReadBodyError, Request, RequestBody, Response, query_pairs, read_body};
use bindery_model::{Error, ErrorKind, PageFeedbackId, Result};
use bindery_revision::PageKind;
use http::StatusCode;
use http::header::{self, HeaderMap};
use http::request::Parts;
use serde_json::Value;

use super::clients::network;
use super::insights::{GivenFeedback, Visit};
use super::page::PageContext;
use super::received::{self, Received, is_foreign, sent};
use super::site_cache::LoadedSite;
use super::validity::ReadTracker;
use super::{PageRequest, SiteRequest, Sites, add_cookie, plain, visitors};
use crate::http::{CacheControl, PreparedResponse};
use crate::urls::{self, Route};
use crate::view::{FeedbackView, SiteView, render_feedback};

/// The part before the path of the page in the address of the form, below the base of the site.
const FOLDER: &str = "~feedback/";
/// Maximum length of the body of a form in bytes. A comment of 512 characters, each of four bytes
/// that are percent-encoded, takes 6,144.
const MAX_BODY: u64 = 8_192;

/// Returns `true` if a path is the address of a form.
pub(super) fn is_addressed(path: &str) -> bool {
    path.contains("/~feedback/")
}

/// Returns the path of the page in the address of a form, given after `~`.
pub(super) fn page_path(reserved: &str) -> Option<&str> {
    reserved.strip_prefix(FOLDER.trim_start_matches('~')).map(urls::page_of)
}

/// Returns `true` if the pages with this customization ask for feedback.
fn is_asked(settings: &Value) -> bool {
    settings.pointer("/feedback/enabled").and_then(Value::as_bool).unwrap_or(false)
}

/// Returns the address of the form of the page at `href`; `None` if the page asks for no feedback.
pub(super) fn address(context: &PageContext<'_>, href: &str) -> Option<String> {
    is_asked(&context.space.customization)
        .then(|| urls::of_page(&context.site.base(), FOLDER, href))
}

/// The values of a sent form.
struct Form {
    rating: Option<PageFeedbackRating>,
    comment: Option<String>,
    /// The feedback that the comment belongs to.
    of: Option<PageFeedbackId>,
}

impl Form {
    fn parse(body: &[u8]) -> Result<Self> {
        let pairs = std::str::from_utf8(body).ok().and_then(query_pairs);
        let pairs = pairs.ok_or_else(|| Error::invalid("the form is not valid UTF-8"))?;
        let value = |name: &str| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        let rating = value("rating").map(|rating| {
            let expected = "`rating` must be `good`, `ok` or `bad`";
            PageFeedbackRating::parse(rating).ok_or_else(|| Error::invalid(expected))
        });
        let of = value("feedback").map(|id| {
            let unknown = "`feedback` must be the id that the form of the page contains";
            PageFeedbackId::parse(id).ok_or_else(|| Error::invalid(unknown))
        });
        let (rating, of) = (rating.transpose()?, of.transpose()?);
        let comment = checked_comment(value("comment").map_or("", String::as_str))?;
        if rating.is_none() && of.is_none() {
            return Err(Error::invalid("the form has no `rating`"));
        }
        Ok(Self { rating, comment, of })
    }
}

/// The page that a form belongs to.
struct FoundPage {
    /// The feedback without rating and comment.
    page: NewFeedback,
    view: SiteView,
}

impl Sites {
    /// Responds to a sent form.
    pub(super) async fn receive_feedback(
        &self,
        request: Request,
        address: IpAddr,
        host: &HostSites,
        reached_at: Option<Urls>,
    ) -> Response {
        let (head, body) = request.into_parts();
        match self.answer_feedback(&head, body, address, host, reached_at).await {
            Ok(response) => response,
            Err(error) => {
                let status = match error.kind() {
                    ErrorKind::Invalid => StatusCode::BAD_REQUEST,
                    ErrorKind::Forbidden => StatusCode::FORBIDDEN,
                    ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
                    ErrorKind::WrongMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
                    ErrorKind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
                    _ => {
                        tracing::error!(%error, "failed to store the feedback of a reader");
                        let text = "The feedback could not be stored. The server's log says why.\n";
                        return plain(500, text);
                    }
                };
                refusal(status, &error)
            }
        }
    }

    async fn answer_feedback(
        &self,
        head: &Parts,
        body: RequestBody,
        address: IpAddr,
        host: &HostSites,
        reached_at: Option<Urls>,
    ) -> Result<Response> {
        if is_foreign(&head.headers) {
            return Err(Error::forbidden("the form was sent by a page of another site"));
        }
        let form = read_form(&head.headers, body).await?;
        let app = self.app.reached_at(reached_at);
        let request = PageRequest::of(head, address);
        let received = self.receive(&app, host, request, visitors::enter).await?;
        let (site, below, admitted) = match received {
            Received::Site { site, below, admitted } => (site, below, admitted),
            Received::Preview => return Ok(received::absent(&app)),
            Received::Answer(response) => return Ok(*response),
        };
        let Some(Route::Page(path)) = below.strip_prefix(FOLDER).map(urls::route) else {
            return Ok(plain(404, "no page at this address takes feedback\n"));
        };
        let path = urls::page_of(&path).to_owned();
        let page_path = path.clone();
        let _permit = self.clients.acquire(address).await;
        let claims = admitted.claims.clone();
        let found = self.read_as_visitor(&app, Arc::clone(&site), claims, move |request| {
            find_page(request, &page_path)
        });
        let Some(FoundPage { page, view }) = found.await? else {
            return Ok(plain(404, "no page at this address takes feedback\n"));
        };
        let form_address = format!("{}{below}", view.base);
        let page_address = page.url.clone();
        let agent = head.headers.get(header::USER_AGENT).map(|agent| agent.as_bytes().to_vec());
        let agent = String::from_utf8_lossy(&agent.unwrap_or_default()).into_owned();
        let Form { rating, comment, of } = form;
        let has_comment = comment.is_some();
        let given = page.clone();
        let given_comment = comment.clone();
        let stored = self.app.store.write(move |tx| match (rating, of) {
            (Some(rating), None) => {
                let new = NewFeedback { rating, comment: comment.clone(), ..page.clone() };
                let reader = Reader { network: network(address), user_agent: &agent };
                let id = page_feedback::create(&app, tx, &new, reader)?;
                Ok::<_, Error>((Some(id), Some(rating)))
            }
            (_, of) => match (of, &comment) {
                (Some(of), Some(comment)) => {
                    Ok((None, page_feedback::add_comment(tx, page.site, of, comment)?))
                }
                _ => Ok((None, None)),
            },
        });
        let (stored, commented) = stored.await?;
        let visit = site.resolve(&path).map(|(space, _)| Visit {
            site: &site,
            space,
            visitor: &admitted.visitor,
            request,
        });
        let cookie = match (visit, commented) {
            (Some(visit), Some(rating)) => {
                let of = GivenFeedback {
                    page: &given.page,
                    rating,
                    is_rated: stored.is_some(),
                    comment: given_comment.as_deref(),
                };
                visit.record_feedback(&self.app, &of)
            }
            _ => None,
        };
        let stored = stored.filter(|_| !has_comment).map(|id| id.to_string());
        let feedback = FeedbackView {
            form: &form_address,
            page: &page_address,
            commentable: stored.as_deref(),
        };
        let html = render_feedback(&view, &feedback);
        let mut response =
            sent(&PreparedResponse::page(html, CacheControl::Private).unlisted(true));
        add_cookie(&mut response, cookie.as_deref());
        Ok(response)
    }
}

async fn read_form(headers: &HeaderMap, body: RequestBody) -> Result<Form> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        let text = "the content type must be application/x-www-form-urlencoded";
        return Err(Error::wrong_media_type(text));
    }
    match read_body(body, MAX_BODY).await {
        Ok(bytes) => Form::parse(&bytes),
        Err(ReadBodyError::TooLarge) => {
            Err(Error::too_large(format!("the form is larger than {MAX_BODY} bytes")))
        }
        Err(_) => Err(Error::invalid("the form did not arrive completely or in time")),
    }
}

/// Returns the page at a path of the site, if it asks for feedback.
fn find_page(request: &SiteRequest<'_>, path: &str) -> Result<Option<FoundPage>> {
    let Some((space, rest)) = request.site.resolve(path) else { return Ok(None) };
    let objects = request.tx.objects();
    let objects = ReadTracker::new(&objects, space.space.id);
    let context = PageContext::new(request, space, &objects)?;
    let Some(id) = context.find(rest)?.filter(|_| is_asked(&space.customization)) else {
        return Ok(None);
    };
    if !matches!(context.record(id)?.kind, PageKind::Document | PageKind::Computed) {
        return Ok(None);
    }
    let LoadedSite { site, .. } = request.site;
    let page = NewFeedback {
        site: site.id,
        site_space: space.site_space.id,
        space: space.space.id,
        page: id,
        url: context.tree.href(id)?,
        rating: PageFeedbackRating::Ok,
        comment: None,
    };
    Ok(Some(FoundPage { page, view: context.view(Some(id))? }))
}

fn refusal(status: StatusCode, error: &Error) -> Response {
    let kind = "text/plain; charset=utf-8";
    let text = format!("{}\n", error.message());
    let prepared = PreparedResponse::new(status.as_u16(), kind, CacheControl::Private, text);
    let mut response = sent(&prepared);
    if let Some(seconds) = error.retry_after_seconds() {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}
