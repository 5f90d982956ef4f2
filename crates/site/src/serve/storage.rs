//! Uploaded files: accepts uploads, and serves the fonts of organizations with their stylesheets.
//!
//! An uploaded file is never served as anything that can run scripts: its type is that of a font,
//! which the server recognised, and its policy forbids everything.

use std::sync::Arc;

use bindery_app::publishing::custom_fonts::{self, FontFile, FontView};
use bindery_app::publishing::storage::{self, StorageFile};
use bindery_app::{App, Tx};
use bindery_http::{Body, ReadBodyError, Request, Response, query_pairs, read_body};
use bindery_model::{CustomFontId, ErrorKind, OrganizationId, Result, StorageFileId};
use http::header::{self, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use serde_json::Value;
use tokio::sync::Semaphore;

use super::{plain, send};
use crate::http::{CacheControl, PreparedResponse};
use crate::style::font_stylesheet;

/// Limits the uploads that are received at once, because each is held in memory.
static CONCURRENT_UPLOADS: Semaphore = Semaphore::const_new(4);
/// Content security policy of uploaded files: permits nothing.
pub(super) const SANDBOX: &str = "default-src 'none'; sandbox";
/// The part of a customization, and the role of the font that it names.
const ROLES: [(&str, &str); 2] = [("/styling/font", "sans"), ("/styling/monospaceFont", "mono")];

/// Responds to a request below [`storage::PATH`], given without that prefix.
pub(super) async fn handle(app: &Arc<App>, rest: String, request: Request) -> Response {
    let method = request.method().clone();
    if method == Method::OPTIONS {
        return open(plain(204, ""));
    }
    let answered = match method {
        Method::PUT => receive(app, &rest, request).await,
        Method::GET | Method::HEAD => serve(app, rest, &request).await,
        _ => return open(plain(405, "GET, HEAD, PUT and OPTIONS are allowed\n")),
    };
    open(answered.unwrap_or_else(|error| {
        tracing::error!(%error, "an uploaded file could not be stored or read");
        plain(500, "This file could not be stored or read. The server's log says why.\n")
    }))
}

/// Permits scripts of all origins to send files and to load fonts. The secret in the address is
/// the right to do so; no cookie is read.
fn open(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::ALLOW, "GET, HEAD, PUT, OPTIONS"),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, PUT, OPTIONS"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type"),
        (HeaderName::from_static("cross-origin-resource-policy"), "cross-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Stores the body of a request at an address that accepts one upload.
async fn receive(app: &Arc<App>, key: &str, request: Request) -> Result<Response> {
    let secret = query_pairs(request.uri().query().unwrap_or_default())
        .unwrap_or_default()
        .into_iter()
        .find_map(|(name, value)| (name == "upload").then_some(value));
    let found = match (StorageFileId::parse(key), secret) {
        (Some(id), Some(secret)) => storage::find_upload(app, id, &secret).await?,
        _ => None,
    };
    let Some(file) = found else { return Ok(plain(404, "no upload is accepted here\n")) };
    let _permit = CONCURRENT_UPLOADS.acquire().await;
    let limit = u64::try_from(file.stated_size).unwrap_or_default();
    let bytes = match read_body(request.into_body(), limit).await {
        Ok(bytes) => bytes,
        Err(ReadBodyError::TooLarge) => {
            return Ok(plain(413, "the file is larger than its stated size\n"));
        }
        Err(_) => return Ok(plain(400, "the file did not arrive completely or in time\n")),
    };
    let refused = match storage::receive(app, &file, bytes).await {
        Ok(()) => return Ok(text(201, format!("stored as {}\n", file.id))),
        Err(error) => error,
    };
    let status = match refused.kind() {
        ErrorKind::Invalid => 400,
        ErrorKind::Conflict => 409,
        _ => return Err(refused),
    };
    Ok(text(status, format!("{}\n", refused.message())))
}

fn text(status: u16, text: String) -> Response {
    let kind = "text/plain; charset=utf-8";
    PreparedResponse::new(status, kind, CacheControl::Revalidate, text)
        .to_response(&Method::GET, &http::HeaderMap::new())
        .map(Body::from)
}

/// Serves a font's file, an image of a site, or the stylesheet of a font.
async fn serve(app: &Arc<App>, rest: String, request: &Request) -> Result<Response> {
    if let Some(name) = rest.strip_suffix(".css") {
        let name = name.to_owned();
        let found = app.store.read(move |tx| find_stylesheet(tx, &name)).await?;
        return Ok(match found {
            Some(css) => {
                let kind = "text/css; charset=utf-8";
                let prepared = PreparedResponse::new(200, kind, CacheControl::Immutable, css);
                send(&prepared, request.method(), request.headers())
            }
            None => plain(404, "not found\n"),
        });
    }
    let Some(id) = StorageFileId::parse(&rest) else { return Ok(plain(404, "not found\n")) };
    let file = app.store.read(move |tx| storage::find_public_file(tx, id)).await?;
    let Some(StorageFile { object: Some(object), content_type, .. }) = file else {
        return Ok(plain(404, "not found\n"));
    };
    let bytes = app.store.object(&object).await?;
    let length = bytes.len();
    let is_head = *request.method() == Method::HEAD;
    let mut response = Response::new(if is_head { Body::empty() } else { Body::from(bytes) });
    *response.status_mut() = StatusCode::OK;
    for (name, value) in [
        (header::CONTENT_TYPE, content_type.as_str()),
        (header::CONTENT_LENGTH, &length.to_string()),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, SANDBOX),
        (header::CONTENT_DISPOSITION, "attachment"),
    ] {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    Ok(response)
}

/// Returns the stylesheet with this name, unless the font has changed since.
fn find_stylesheet(tx: &Tx<'_>, name: &str) -> Result<Option<String>> {
    let Some((id, role)) = name.split('-').next().zip(name.rsplit('-').next()) else {
        return Ok(None);
    };
    let Some(id) = CustomFontId::parse(id) else { return Ok(None) };
    let Some(font) = custom_fonts::find(tx, id)? else { return Ok(None) };
    let css = stylesheet(&font, role);
    Ok((stylesheet_name(&font, &css, role) == name).then_some(css))
}

fn stylesheet(view: &FontView, role: &str) -> String {
    let FontView { font, files, can_edit: _ } = view;
    let files: Vec<_> = files
        .iter()
        .map(|FontFile { weight, file, content_type }| {
            let format = match content_type.as_str() {
                "font/woff2" => "woff2",
                "font/woff" => "woff",
                "font/otf" => "opentype",
                _ => "truetype",
            };
            // The stylesheet is in the same folder as the files.
            (*weight, file.to_string(), format)
        })
        .collect();
    font_stylesheet(&font.family, &files, role == "mono")
}

/// Returns the name of a stylesheet, which contains a hash of it.
fn stylesheet_name(view: &FontView, css: &str, role: &str) -> String {
    let hash = blake3::hash(css.as_bytes()).to_hex();
    format!("{}-{}-{role}", view.font.id, hash.get(..16).unwrap_or_default())
}

/// Returns the paths of the stylesheets of the fonts of the organization that a customization
/// names. A font that was deleted has none, so pages have the font of the reader's system.
///
/// # Errors
/// Returns an error if the store fails.
pub(super) fn font_stylesheets(
    tx: &Tx<'_>,
    organization: OrganizationId,
    customization: &Value,
) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    for (pointer, role) in ROLES {
        let id = customization.pointer(pointer).and_then(|font| font.get("id"));
        let Some(id) = id.and_then(Value::as_str).and_then(CustomFontId::parse) else { continue };
        let font = custom_fonts::find(tx, id)?;
        let Some(font) = font.filter(|view| view.font.organization == organization) else {
            continue;
        };
        let css = stylesheet(&font, role);
        paths.push(format!("{}{}.css", storage::PATH, stylesheet_name(&font, &css, role)));
    }
    Ok(paths)
}
