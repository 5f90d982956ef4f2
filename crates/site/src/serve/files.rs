//! Serves files of spaces: at a plain address if a published site shows the space, otherwise at a
//! signed one.

use std::sync::Arc;

use bindery_app::content::content_type::{essence, is_script, shows_inline};
use bindery_app::secrets::Download;
use bindery_app::{App, ObjectPieces, Tx, content::snapshot};
use bindery_http::{Body, Response, query_pairs};
use bindery_model::{FileId, Result, RevisionId, SpaceId};
use bindery_revision::FileRecord;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::sync::Semaphore;

use super::plain;
use super::site_cache::LoadedSite;
use crate::http::has_copy;

/// Limits the pieces that are read at once. More would only occupy more threads, each with memory
/// of its own.
static CONCURRENT_READS: Semaphore = Semaphore::const_new(8);
/// Content security policy of files. Permits inline styles and `data:` images, no scripts and no
/// requests.
const SANDBOX: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

/// Responds to a request for `{space}/{file}` below `/~files/`.
pub(super) async fn serve(
    app: &Arc<App>,
    rest: &str,
    query: &str,
    method: &Method,
    headers: &HeaderMap,
) -> Response {
    let ids = rest
        .split_once('/')
        .and_then(|(space, file)| Some((SpaceId::parse(space)?, FileId::parse(file)?)));
    let Some((space, file)) = ids else { return absent() };
    let pairs = query_pairs(query).unwrap_or_default();
    let value = |name: &str| pairs.iter().find(|(known, _)| known == name).map(|(_, v)| v.as_str());
    let revision = match value("revision").map(RevisionId::parse) {
        Some(None) => return absent(),
        revision => revision.flatten(),
    };
    let download = Download { space, file, revision };
    let signed = match (value("exp").and_then(|exp| exp.parse().ok()), value("sig")) {
        (Some(expires), Some(signature)) => {
            app.secrets.download_allowed(&download, app.clock.now(), expires, signature)
        }
        _ => false,
    };
    let right = if signed { DownloadRight::Signed } else { DownloadRight::None };
    respond(app, download, right, method, headers).await
}

/// Responds to a request for `{space}/{file}` below `~files/` of a site that the visitor may read.
pub(super) async fn serve_of_site(
    app: &Arc<App>,
    site: &LoadedSite,
    rest: &str,
    method: &Method,
    headers: &HeaderMap,
) -> Response {
    let shown = |id: SpaceId| site.spaces.iter().find(|one| one.space.id == id);
    let ids = rest
        .split_once('/')
        .and_then(|(space, file)| Some((shown(SpaceId::parse(space)?)?, FileId::parse(file)?)));
    let Some((space, file)) = ids else { return absent() };
    let revision = Some(space.snapshot.row.id);
    let download = Download { space: space.space.id, file, revision };
    respond(app, download, DownloadRight::Visitor, method, headers).await
}

fn absent() -> Response {
    plain(404, "not found\n")
}

/// The right of a request to a file, besides that of the public.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum DownloadRight {
    None,
    /// The address is signed.
    Signed,
    /// The visitor may read the site that shows the space.
    Visitor,
}

async fn respond(
    app: &Arc<App>,
    download: Download,
    right: DownloadRight,
    method: &Method,
    headers: &HeaderMap,
) -> Response {
    let held = Arc::clone(app);
    let found = app.store.read_blocking(move |tx| find(&held, tx, &download, right)).await;
    match found {
        Ok(Some(found)) => send(app, found, method, headers),
        Ok(None) => absent(),
        Err(error) => {
            tracing::error!(%error, "failed to read a file");
            plain(500, "This file could not be read. The server's log says why.\n")
        }
    }
}

/// A file that the caller may have.
pub(super) struct FoundFile {
    pub(super) record: FileRecord,
    /// `true` if shared caches may store it.
    pub(super) public: bool,
}

fn find(
    app: &App,
    tx: &Tx<'_>,
    download: &Download,
    right: DownloadRight,
) -> Result<Option<FoundFile>> {
    let Download { space, file, revision } = *download;
    let public = revision.is_none() && snapshot::is_public(tx, space)?;
    if !public && right == DownloadRight::None {
        return Ok(None);
    }
    let record = snapshot::file_at(app, tx, space, file, revision)?;
    Ok(record.map(|record| FoundFile { record, public }))
}

/// Responds with a file, or with the part of it that the request asks for.
pub(super) fn send(
    app: &Arc<App>,
    found: FoundFile,
    method: &Method,
    headers: &HeaderMap,
) -> Response {
    let FoundFile { record, public } = found;
    let etag = snapshot::file_tag(app, &record);
    let known = has_copy(headers, etag.as_bytes());
    let range = match headers.get(header::RANGE).and_then(|value| value.to_str().ok()) {
        Some(text) if !known && range_is_current(headers, &etag) => parse_range(text, record.size),
        _ => RequestedRange::Whole,
    };
    let (status, from, to) = match range {
        RequestedRange::Whole => (StatusCode::OK, 0, record.size),
        RequestedRange::Part(from, to) => (StatusCode::PARTIAL_CONTENT, from, to),
        RequestedRange::Unsatisfiable => (StatusCode::RANGE_NOT_SATISFIABLE, 0, 0),
    };
    let status = if known { StatusCode::NOT_MODIFIED } else { status };
    let sends =
        matches!(status, StatusCode::OK | StatusCode::PARTIAL_CONTENT) && *method != Method::HEAD;
    let body = match sends {
        true => stream_body(app, ObjectPieces::new(record.hash, from..to)),
        false => Body::empty(),
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let out = response.headers_mut();
    let mut set = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            out.insert(name, value);
        }
    };
    set(header::ETAG, &etag);
    set(header::CACHE_CONTROL, if public { "public, max-age=300" } else { "private, max-age=300" });
    set(header::ACCEPT_RANGES, "bytes");
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::CONTENT_SECURITY_POLICY, SANDBOX);
    if status == StatusCode::NOT_MODIFIED {
        return response;
    }
    set(header::CONTENT_TYPE, &response_content_type(&record.content_type));
    set(header::CONTENT_DISPOSITION, &disposition(&record));
    match range {
        RequestedRange::Part(from, to) => {
            set(header::CONTENT_RANGE, &format!("bytes {from}-{}/{}", to - 1, record.size));
            set(header::CONTENT_LENGTH, &(to - from).to_string());
        }
        RequestedRange::Unsatisfiable => {
            set(header::CONTENT_RANGE, &format!("bytes */{}", record.size))
        }
        RequestedRange::Whole => set(header::CONTENT_LENGTH, &record.size.to_string()),
    }
    response
}

/// Returns the content type that is sent. No page can run a file as a script. SVG images keep their
/// type, so that pages can show them; the policy prevents their scripts from running.
fn response_content_type(content_type: &str) -> String {
    if is_script(content_type) {
        return "application/octet-stream".to_owned();
    }
    match essence(content_type).as_str() {
        "text/html" | "application/xhtml+xml" | "text/xml" | "application/xml" | "" => {
            "application/octet-stream".to_owned()
        }
        _ => content_type.to_owned(),
    }
}

/// The characters that are encoded in a header parameter: all except `attr-char` (RFC 8187). The
/// semicolon is among them, as it would otherwise end the name and begin another parameter.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

fn disposition(record: &FileRecord) -> String {
    let kind = if shows_inline(&record.content_type) { "inline" } else { "attachment" };
    let plain: String = record
        .name
        .chars()
        .map(|char| match char {
            ' ' | '!' | '#'..='[' | ']'..='~' if char != '"' => char,
            _ => '_',
        })
        .collect();
    format!(
        "{kind}; filename=\"{plain}\"; filename*=UTF-8''{}",
        utf8_percent_encode(&record.name, ENCODED)
    )
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RequestedRange {
    Whole,
    /// From the first offset up to the second, exclusive.
    Part(u64, u64),
    Unsatisfiable,
}

/// Returns `false` if `If-Range` names another entity tag, which requests the whole file.
fn range_is_current(headers: &HeaderMap, etag: &str) -> bool {
    headers.get(header::IF_RANGE).is_none_or(|value| value.as_bytes() == etag.as_bytes())
}

/// Parses a `Range` header with one range (RFC 9110, section 14). Several ranges and malformed
/// values yield the whole file.
fn parse_range(text: &str, size: u64) -> RequestedRange {
    let Some(spec) = text.trim().strip_prefix("bytes=") else { return RequestedRange::Whole };
    let Some((first, last)) = spec.split_once('-') else { return RequestedRange::Whole };
    if spec.contains(',') {
        return RequestedRange::Whole;
    }
    let number = |text: &str| text.trim().parse::<u64>().ok();
    match (first.trim().is_empty(), number(first), last.trim().is_empty(), number(last)) {
        (false, Some(from), true, _) if from < size => RequestedRange::Part(from, size),
        (false, Some(from), false, Some(to)) if from < size && from <= to => {
            RequestedRange::Part(from, to.saturating_add(1).min(size))
        }
        (true, _, false, Some(tail)) if tail > 0 && size > 0 => {
            RequestedRange::Part(size.saturating_sub(tail), size)
        }
        (false, Some(from), _, _) if from >= size => RequestedRange::Unsatisfiable,
        (true, _, false, Some(_)) => RequestedRange::Unsatisfiable,
        _ => RequestedRange::Whole,
    }
}

/// Returns a body that reads an object while it is sent. Each download holds one piece in memory.
pub(super) fn stream_body(app: &Arc<App>, pieces: ObjectPieces) -> Body {
    let app = Arc::clone(app);
    let next = move |mut pieces: ObjectPieces| {
        let app = Arc::clone(&app);
        async move {
            let _permit = CONCURRENT_READS.acquire().await;
            let piece = pieces.next(&app.store).await.map_err(|error| {
                tracing::error!(%error, "failed to read the next part of a file");
                std::io::Error::other("the file could not be read")
            });
            Some((piece.transpose()?, pieces))
        }
    };
    Body::unfold(pieces, next, Some(pieces.left()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        for (text, expect) in [
            ("bytes=0-9", RequestedRange::Part(0, 10)),
            ("bytes=90-", RequestedRange::Part(90, 100)),
            ("bytes=90-500", RequestedRange::Part(90, 100)),
            ("bytes=-10", RequestedRange::Part(90, 100)),
            ("bytes=-500", RequestedRange::Part(0, 100)),
            ("bytes=100-", RequestedRange::Unsatisfiable),
            ("bytes=-0", RequestedRange::Unsatisfiable),
            ("bytes=9-1", RequestedRange::Whole),
            ("bytes=0-1,5-6", RequestedRange::Whole),
            ("lines=1-2", RequestedRange::Whole),
            ("bytes=x-y", RequestedRange::Whole),
        ] {
            assert_eq!(parse_range(text, 100), expect, "{text}");
        }
    }

    #[test]
    fn scriptable_types_are_never_sent_as_such() {
        for (content_type, sent) in [
            ("text/html; charset=utf-8", "application/octet-stream"),
            ("image/svg+xml", "image/svg+xml"),
            ("image/png", "image/png"),
        ] {
            assert_eq!(response_content_type(content_type), sent);
        }
    }
}
