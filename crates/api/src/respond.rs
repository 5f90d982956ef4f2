//! Converts replies and errors to HTTP responses.

use std::sync::Arc;

use bindery_app::App;
use bindery_http::{
    Body, Compressor, Encoding, MIN_COMPRESSED_BYTES, Response, is_compressible, select_encoding,
};
use bindery_model::Error;
use bytes::Bytes;
use http::Method;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::error_body;
use crate::reply::{BodyStream, HTML, JSON, Reply};

/// Sets a header, unless the text contains bytes that no header may contain. Takes over a `String`
/// without a copy.
fn set(headers: &mut HeaderMap, name: HeaderName, value: impl TryInto<HeaderValue>) {
    if let Ok(value) = value.try_into() {
        headers.insert(name, value);
    }
}

/// The Content-Security-Policy of HTML answers. They contain user content, so scripts and forms are
/// disabled.
const HTML_CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src http: https:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-popups";

fn response(status: u16, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() =
        http::StatusCode::from_u16(status).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    // Reserves room for all headers at once, so that the map does not grow several times.
    headers.reserve(16);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    let vary = HeaderValue::from_static("Authorization, Cookie, Accept-Encoding");
    headers.insert(header::VARY, vary);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Returns the strong ETag of a representation.
fn etag(bytes: &[u8], encoding: Encoding) -> String {
    let hash = blake3::hash(bytes).to_hex();
    encoding.etag(hash.get(..32).unwrap_or_default())
}

fn matches(if_none_match: Option<&HeaderValue>, etag: &str) -> bool {
    let Some(text) = if_none_match.and_then(|value| value.to_str().ok()) else {
        return false;
    };
    text.split(',').map(str::trim).any(|one| one == "*" || one.trim_start_matches("W/") == etag)
}

/// The headers of a request that select the representation of its answer.
#[derive(Clone, Copy)]
pub(crate) struct Preferences<'r> {
    if_none_match: Option<&'r HeaderValue>,
    encoding: Encoding,
}

impl<'r> Preferences<'r> {
    /// Reads the headers of a request. Answers to a page of another origin that sends the cookie
    /// of a session are not compressed: such a page could choose a part of the request and conclude
    /// from the length whether the answer contains the same text (BREACH). Tokens are not affected,
    /// since a page cannot make a browser send them.
    pub(crate) fn new(headers: &'r HeaderMap, is_foreign_session: bool) -> Self {
        let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
        let encoding =
            if is_foreign_session { Encoding::Identity } else { select_encoding(accepted) };
        Self { if_none_match: headers.get(header::IF_NONE_MATCH), encoding }
    }

    /// Returns the encoding of a reply. Replies that hold a secret are not compressed, as the
    /// length of a compressed secret beside a text of the caller reveals parts of the secret.
    fn encoding_of(&self, reply: &Reply) -> Encoding {
        let is_short = reply.remaining.is_none()
            && reply.body.as_ref().is_none_or(|body| body.len() < MIN_COMPRESSED_BYTES);
        let is_plain = reply.is_uncached || is_short || !is_compressible(reply.content_type);
        if is_plain { Encoding::Identity } else { self.encoding }
    }
}

/// Converts the reply of a successful operation to a response.
pub(crate) async fn to_response(
    app: &Arc<App>,
    compressor: &Compressor,
    mut reply: Reply,
    preferences: Preferences<'_>,
) -> Response {
    let encoding = preferences.encoding_of(&reply);
    let (remaining, events) = (reply.remaining.take(), reply.events.take());
    let (first, content_type) = (reply.body.clone().unwrap_or_default(), reply.content_type);
    let response = complete_response(reply, preferences.if_none_match, encoding);
    let response = match (remaining, events) {
        (None, None) => response,
        (Some(_), _) if response.status() == 304 => response,
        (Some(remaining), _) => response.map(|_| stream_body(Arc::clone(app), first, remaining)),
        (None, Some(events)) => with_events(response, content_type, events),
    };
    compressed(compressor, response, encoding).await
}

/// Compresses the body of a response, if it has one.
async fn compressed(compressor: &Compressor, response: Response, encoding: Encoding) -> Response {
    let Some(name) = encoding.name().filter(|_| response.status() != 304) else { return response };
    let (mut parts, body) = response.into_parts();
    match compressor.compress(body, encoding).await {
        Ok(body) => {
            parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
            Response::from_parts(parts, body)
        }
        Err(error) => {
            tracing::error!(%error, "an answer could not be compressed");
            error_response(500, "internal error; the server's log describes it")
        }
    }
}

/// Returns a body that is produced while it is sent. Between two pieces it holds only the position
/// in the list: a slow reader costs no thread, and each piece is produced after the previous one
/// was sent.
fn stream_body(app: Arc<App>, first: Bytes, remaining: Box<dyn BodyStream>) -> Body {
    let next = move |(first, remaining): (Option<Bytes>, Option<Box<dyn BodyStream>>)| {
        let app = Arc::clone(&app);
        async move {
            if let Some(first) = first {
                return Some((Ok(first), (None, remaining)));
            }
            let mut remaining = remaining?;
            let produced = tokio::task::spawn_blocking(move || {
                let next = remaining.next(&app);
                (next, remaining)
            });
            let failure: Box<dyn std::error::Error + Send + Sync> = match produced.await {
                Ok((Ok(None), _)) => return None,
                Ok((Ok(Some(piece)), remaining)) => {
                    return Some((Ok(piece), (None, Some(remaining))));
                }
                Ok((Err(error), _)) => error.into(),
                Err(panic) => panic.into(),
            };
            tracing::error!(error = %failure, "a streamed answer failed");
            let failure = std::io::Error::other("the answer could not be completed");
            Some((Err(failure), (None, None)))
        }
    };
    Body::unfold((Some(first), Some(remaining)), next, None)
}

/// Returns a response with server-sent events, which proxies pass on without waiting for more.
fn with_events(response: Response, content_type: &'static str, events: Body) -> Response {
    let mut response = response.map(|_| events);
    let content_type = HeaderValue::from_static(content_type);
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    let unbuffered = HeaderValue::from_static("no");
    response.headers_mut().insert(HeaderName::from_static("x-accel-buffering"), unbuffered);
    response
}

/// Converts a reply whose body is complete to a response.
fn complete_response(
    reply: Reply,
    if_none_match: Option<&HeaderValue>,
    encoding: Encoding,
) -> Response {
    let Reply {
        status,
        body,
        remaining: _,
        events: _,
        location,
        link,
        version,
        content_tag,
        cookies,
        secret: _,
        content_type,
        disposition,
        retry_after,
        is_uncached,
        is_minimal,
    } = reply;
    // A version as ETag identifies the editable state and not every field of the answer: it serves
    // If-Match, and an answer is never replaced by 304 because of it. It is the same in every
    // encoding, since clients compare it with the ids of revisions.
    let (tag, fresh) = match (&version, &content_tag, &body) {
        (Some(version), ..) => (Some(format!("\"{version}\"")), false),
        (None, Some(name), _) => {
            let tag = encoding.etag(name);
            let fresh = matches(if_none_match, &tag);
            (Some(tag), fresh)
        }
        (None, None, Some(body)) if status == 200 && !is_uncached => {
            let tag = etag(body, encoding);
            let fresh = matches(if_none_match, &tag);
            (Some(tag), fresh)
        }
        _ => (None, false),
    };
    let mut response = if fresh {
        response(304, Body::empty())
    } else {
        let has_body = body.is_some();
        let mut response = response(status, body.map_or_else(Body::empty, Body::from));
        if has_body {
            let content_type = HeaderValue::from_static(content_type);
            response.headers_mut().insert(header::CONTENT_TYPE, content_type);
        }
        if content_type == HTML {
            let policy = HeaderValue::from_static(HTML_CONTENT_SECURITY_POLICY);
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        response
    };
    if let Some(tag) = tag {
        set(response.headers_mut(), header::ETAG, tag);
    }
    if let Some(location) = location {
        set(response.headers_mut(), header::LOCATION, location);
    }
    if let Some(link) = link {
        set(response.headers_mut(), header::LINK, link);
    }
    for cookie in cookies.into_iter().filter_map(|cookie| HeaderValue::try_from(cookie).ok()) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    if let Some(disposition) = disposition {
        set(response.headers_mut(), header::CONTENT_DISPOSITION, disposition);
    }
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if is_minimal {
        let applied = HeaderValue::from_static("return=minimal");
        response.headers_mut().insert("preference-applied", applied);
    }
    if is_uncached {
        let no_store = HeaderValue::from_static("no-store");
        response.headers_mut().insert(header::CACHE_CONTROL, no_store);
    }
    response
}

/// Builds an error response.
pub(crate) fn error_response(status: u16, message: &str) -> Response {
    let mut response = response(status, Body::from(error_body::body(status, message)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    if status == 401 {
        headers
            .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"bindery\""));
    }
    if status == 503 {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    }
    response
}

/// Builds the response of a failed operation.
pub(crate) fn error_to_response(error: &Error, request: &str) -> Response {
    let (status, message) = error_body::render(error, request);
    let mut response = error_response(status, &message);
    if let Some(seconds) = error.retry_after_seconds() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Builds the 405 response with the allowed methods, or the answer to OPTIONS.
pub(crate) fn method_not_allowed(method: &Method, allow: &str) -> Response {
    let mut response = if *method == Method::OPTIONS {
        let mut response = response(204, Body::empty());
        let headers = response.headers_mut();
        set(headers, header::ACCESS_CONTROL_ALLOW_METHODS, allow);
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            // The star covers all headers except Authorization.
            HeaderValue::from_static(
                "Authorization, Content-Type, Accept, Accept-Language, If-Match, If-None-Match, \
                 Idempotency-Key, Range, User-Agent, X-CSRF-Token, X-Requested-With, \
                 X-Request-Id, traceparent, tracestate, *",
            ),
        );
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
        response
    } else {
        let message = format!("method {method}, allowed here: {allow}");
        error_response(405, &message)
    };
    set(response.headers_mut(), header::ALLOW, allow);
    response
}
