//! Parses and checks an incoming request: credentials, parameters, body.

use bindery_app::access::credentials::Credentials;
use bindery_app::people::sessions;
use bindery_app::{App, content::content_type, secrets};
use bindery_contract::{BodyLimit, Query};
use bindery_http::{Request, SessionCookie, percent_decode, query_pairs};
use bindery_model::{Error, Result};
use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderValue};
use matchit::Params;
use serde_json::Value;

use crate::bodies::{ArrivingBody, Upload, body_timeout};
use crate::json;
use crate::router::RoutedOperation;

/// Returns `true` for `GET` and `HEAD`.
pub(crate) fn is_read(request: &Request) -> bool {
    matches!(*request.method(), http::Method::GET | http::Method::HEAD)
}

/// Returns the bearer token of the `Authorization` header, if the header is present.
fn bearer_token(headers: &HeaderMap) -> Result<Option<String>> {
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return Ok(None);
    };
    let text = std::str::from_utf8(value.as_bytes()).unwrap_or_default();
    match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => {
            Ok(Some(token.trim().to_owned()))
        }
        _ => Err(Error::unauthenticated("header \"Authorization\": allowed: Bearer and a token")),
    }
}

/// The header in which pages of the application send the CSRF token with a change.
const CSRF_HEADER: &str = "x-csrf-token";

/// Returns the credentials of a request: the token of the `Authorization` header, or else the
/// session of the cookie.
///
/// # Errors
/// 401 if the `Authorization` header holds no bearer token.
pub(crate) fn request_credentials(
    headers: &HeaderMap,
    secure: bool,
    host: &str,
) -> Result<Option<Credentials>> {
    if let Some(token) = bearer_token(headers)? {
        return Ok(Some(Credentials::Token(token)));
    }
    let session = SessionCookie { secure }.find(headers);
    Ok(session
        .map(|secret| Credentials::Session { secret: secret.to_owned(), host: host.to_owned() }))
}

/// Rejects cookie-authenticated changes that come from another origin or lack a valid
/// `X-CSRF-Token`. A browser sends the cookie with the requests of any page, but only pages
/// of this server can read the CSRF token. A public operation continues without credentials
/// instead.
///
/// # Errors
/// 403 for such a request to an operation that is not public.
pub(crate) fn check_csrf(
    credentials: Option<Credentials>,
    head: &http::request::Parts,
    is_cross_origin: bool,
    public: bool,
) -> Result<Option<Credentials>> {
    let Some(Credentials::Session { secret, .. }) = &credentials else { return Ok(credentials) };
    if matches!(head.method, http::Method::GET | http::Method::HEAD) {
        return Ok(credentials);
    }
    let given = head.headers.get(CSRF_HEADER).map(HeaderValue::as_bytes).unwrap_or_default();
    if !is_cross_origin && secrets::equal(given, sessions::csrf_token(secret).as_bytes()) {
        return Ok(credentials);
    }
    if public {
        return Ok(None);
    }
    Err(Error::forbidden(
        "header \"X-CSRF-Token\": a change with a session's cookie needs the csrfToken of \
         getCurrentSession, from a page of this server",
    ))
}

/// The parameters of a request that match the contract.
pub(crate) struct CheckedHead {
    /// The decoded path parameters.
    pub(crate) path: Vec<(&'static str, String)>,
    /// The query with the contract's defaults.
    pub(crate) query: Query,
    /// The query as it was sent.
    pub(crate) pairs: Vec<(String, String)>,
    /// The value of the `If-Match` header.
    pub(crate) if_match: Option<String>,
    /// `true` if the caller prefers an answer without a body.
    pub(crate) prefers_minimal: bool,
}

/// Checks path and query against the contract.
pub(crate) fn check_head(
    operation: &RoutedOperation,
    path: &Params<'_, '_>,
    parts: &http::request::Parts,
) -> Result<CheckedHead> {
    let path = operation
        .path_names
        .iter()
        .filter_map(|name| Some((*name, path.get(name)?)))
        .map(|(name, value)| match percent_decode(value) {
            Some(decoded) => Ok((name, decoded.into_owned())),
            None => Err(Error::invalid(format!(
                "path parameter \"{name}\": found bytes that are not UTF-8, allowed: UTF-8"
            ))),
        })
        .collect::<Result<Vec<_>>>()?;
    operation.contract.check_path(&path)?;
    let pairs = query_pairs(parts.uri.query().unwrap_or_default())
        .ok_or_else(|| Error::invalid("query: found bytes that are not UTF-8, allowed: UTF-8"))?;
    let query = operation.contract.check_query(&pairs)?;
    // Preferences that an operation does not know are ignored (RFC 7240).
    operation.contract.check_headers(|name| {
        let value = parts.headers.get(name).filter(|_| name != "prefer")?;
        value.to_str().map(str::to_owned).ok()
    })?;
    let prefers_minimal = parts.headers.get_all("prefer").iter().any(|value| {
        let mut preferences = value.to_str().unwrap_or_default().split(',');
        preferences.any(|preference| preference.trim() == "return=minimal")
    });
    let if_match = parts.headers.get(header::IF_MATCH);
    let if_match = if_match.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    Ok(CheckedHead { path, query, pairs, if_match, prefers_minimal })
}

/// Returns the media type of a request's body, in lower case and without parameters.
pub(crate) fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type::essence(value.unwrap_or_default())
}

/// Builds the error for an unsupported media type.
pub(crate) fn wrong_media_type(operation: &bindery_contract::Operation, found: &str) -> Error {
    let allowed: Vec<&str> = operation
        .body
        .iter()
        .flat_map(|body| body.content.iter().map(|content| content.media_type.as_str()))
        .collect();
    let found = if found.is_empty() { "none" } else { found };
    Error::wrong_media_type(format!(
        "header \"Content-Type\": found {found}, allowed: {}",
        allowed.join(", ")
    ))
}

/// Reads and checks a JSON body.
pub(crate) async fn read_json(
    app: &App,
    operation: &'static bindery_contract::Operation,
    headers: &HeaderMap,
    body: ArrivingBody,
) -> Result<Option<Value>> {
    let time = app.limits.body_time;
    let received = match operation.body_limit {
        // Large bodies may take longer in total, as long as each piece arrives in time.
        BodyLimit::Content => body.receive(app.limits.content_body, time).await?,
        BodyLimit::Json | BodyLimit::Archive | BodyLimit::Event => {
            tokio::time::timeout(time, body.receive(app.limits.json_body, time))
                .await
                .map_err(|_| body_timeout())??
        }
    };
    // The permit keeps the memory of the bytes reserved until they are parsed.
    let (bytes, _turn) = received.into_bytes().await?;
    if bytes.is_empty() {
        operation.check_no_body()?;
        return Ok(None);
    }
    let Some(expected) = &operation.body else {
        return Ok(None);
    };
    let found = media_type(headers);
    if !expected.accepts(&found) {
        return Err(wrong_media_type(operation, &found));
    }
    let mut value = json::parse(&bytes, app.limits.json_depth)?;
    read_text_as_markdown(operation, &mut value);
    operation.check_body(&value)?;
    Ok(Some(value))
}

/// The operations that write a comment or a reply, with the text in the field `body`.
const COMMENT_OPERATIONS: [&str; 8] = [
    "postCommentInSpace",
    "updateCommentInSpace",
    "postCommentReplyInSpace",
    "updateCommentReplyInSpace",
    "postCommentInChangeRequest",
    "updateCommentInChangeRequest",
    "postCommentReplyInChangeRequest",
    "updateCommentReplyInChangeRequest",
];

/// Replaces a comment `body` that is a plain string by `{"markdown": …}`.
fn read_text_as_markdown(operation: &bindery_contract::Operation, body: &mut Value) {
    if !COMMENT_OPERATIONS.contains(&operation.id.as_str()) {
        return;
    }
    if let Some(text) = body.get_mut("body").filter(|text| text.is_string()) {
        *text = serde_json::json!({ "markdown": text.take() });
    }
}

/// Receives a large body into a file.
pub(crate) async fn receive_upload(app: &App, body: ArrivingBody) -> Result<Upload> {
    body.receive(app.limits.archive_body, app.limits.body_time).await?.into_upload()
}

/// Maximum size in bytes of an event of another server.
const MAX_EVENT_BYTES: u64 = 1 << 20;

/// Receives an event of another server.
pub(crate) async fn receive_event(app: &App, body: ArrivingBody) -> Result<Bytes> {
    let time = app.limits.body_time;
    let received = tokio::time::timeout(time, body.receive(MAX_EVENT_BYTES, time));
    let received = received.await.map_err(|_| body_timeout())??;
    Ok(received.into_bytes().await?.0)
}
