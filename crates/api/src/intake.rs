//! Taking a request in: token, parameters, body.

use std::io::Write;
use std::net::IpAddr;

use bindery_app::access::Caller;
use bindery_app::tokens::{self, Touch};
use bindery_app::{App, content_type};
use bindery_contract::BodyLimit;
use bindery_http::{ReadBodyError, Request, RequestBody, percent_decode, query_pairs, read_body};
use bindery_model::{Error, Result};
use bindery_store::Tx;
use http::header::{self, HeaderMap};
use serde_json::Value;

use crate::call::{Call, Upload};
use crate::json;

/// Whether a request only reads.
pub(crate) fn reads(request: &Request) -> bool {
    matches!(*request.method(), http::Method::GET | http::Method::HEAD)
}

/// The token of a request, if it shows one.
pub(crate) fn bearer(headers: &HeaderMap) -> Result<Option<String>> {
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return Ok(None);
    };
    let text = std::str::from_utf8(value.as_bytes()).unwrap_or_default();
    match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => {
            Ok(Some(token.trim().to_owned()))
        }
        _ => Err(Error::unauthenticated("header \"Authorization\": allowed is Bearer and a token")),
    }
}

/// Who is calling, and whether the token is to be marked as used.
pub(crate) fn identify(
    tx: &Tx<'_>,
    app: &App,
    token: Option<&str>,
) -> Result<(Caller, Option<Touch>)> {
    match token {
        None => Ok((Caller::Nobody, None)),
        Some(token) => tokens::authenticate(tx, app, token),
    }
}

/// Checks path and query against the contract.
pub(crate) fn check_head(
    operation: &'static bindery_contract::Operation,
    path: Vec<(String, String)>,
    parts: &http::request::Parts,
    token: Option<String>,
    address: IpAddr,
) -> Result<Call> {
    let path = path
        .into_iter()
        .map(|(name, value)| match percent_decode(&value) {
            Some(decoded) => Ok((name, decoded.into_owned())),
            None => Err(Error::invalid(format!(
                "path parameter \"{name}\": found bytes that are not UTF-8, allowed: UTF-8"
            ))),
        })
        .collect::<Result<Vec<_>>>()?;
    operation.check_path(&path)?;
    let pairs = query_pairs(parts.uri.query().unwrap_or_default())
        .ok_or_else(|| Error::invalid("query: found bytes that are not UTF-8, allowed: UTF-8"))?;
    let query = operation.check_query(&pairs)?;
    let list_key = list_key(operation, &path, &pairs);
    let if_match = parts.headers.get(header::IF_MATCH);
    let if_match = if_match.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    Ok(Call {
        operation,
        path,
        query,
        body: None,
        list_key,
        token,
        files: Vec::new(),
        if_match,
        address,
    })
}

fn list_key(
    operation: &bindery_contract::Operation,
    path: &[(String, String)],
    pairs: &[(String, String)],
) -> String {
    let mut key = operation.id.clone();
    let filters = pairs.iter().filter(|(name, _)| {
        name != "page"
            && name != "limit"
            && operation.parameters.iter().any(|known| known.name == *name)
    });
    for (name, value) in path.iter().chain(filters) {
        key.push('\u{1f}');
        key.push_str(name);
        key.push('=');
        key.push_str(value);
    }
    key
}

/// The media type of a request's body, in lower case and without parameters.
pub(crate) fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type::essence(value.unwrap_or_default())
}

/// The refusal of a media type.
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
    body: RequestBody,
) -> Result<Option<Value>> {
    let limit = match operation.body_limit {
        BodyLimit::Content => app.limits.content_body,
        BodyLimit::Json | BodyLimit::Archive => app.limits.json_body,
    };
    let reading = tokio::time::timeout(app.limits.body_time, read_body(body, limit));
    let bytes = match reading.await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(ReadBodyError::TooLarge)) => return Err(too_large(limit)),
        Ok(Err(ReadBodyError::Broken)) => return Err(broken()),
        Err(_) => return Err(Error::invalid("the body did not arrive in time")),
    };
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
    let value = json::parse(&bytes, app.limits.json_depth)?;
    operation.check_body(&value)?;
    Ok(Some(value))
}

fn too_large(limit: u64) -> Error {
    Error::too_large(format!("the body is larger than {limit} bytes, the limit"))
}

fn broken() -> Error {
    Error::invalid("the connection broke before the body was complete")
}

/// Takes a large body into a file.
pub(crate) async fn spool(app: &App, body: RequestBody) -> Result<Upload> {
    let limit = app.limits.archive_body;
    let failed =
        |error: std::io::Error| Error::internal(format!("cannot spool an upload: {error}"));
    let dir = app.cache_dir.join("uploads");
    std::fs::create_dir_all(&dir).map_err(failed)?;
    let (mut file, path) = tempfile::NamedTempFile::new_in(&dir).map_err(failed)?.into_parts();
    let mut pieces = bindery_http::Pieces::new(body);
    let mut bytes = 0_u64;
    loop {
        let piece = tokio::time::timeout(app.limits.body_time, pieces.next()).await;
        let piece = piece.map_err(|_| Error::invalid("the body did not arrive in time"))?;
        let Some(piece) = piece.map_err(|_| broken())? else {
            break;
        };
        bytes += piece.len() as u64;
        if bytes > limit {
            return Err(too_large(limit));
        }
        file.write_all(&piece).map_err(failed)?;
    }
    Ok(Upload { file: path })
}
