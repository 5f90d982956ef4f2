//! The files of OpenAPI specifications that everybody may read.

use std::sync::Arc;

use bindery_app::App;
use bindery_app::content::openapi::{self, Format, Raw};
use bindery_http::{Request, Response};
use bindery_model::Result;
use http::Method;
use http::header::{self, HeaderName, HeaderValue};

use super::{plain, send};
use crate::http::{CacheControl, PreparedResponse};

/// Responds to a request below [`openapi::PUBLIC_PATH`], given without that prefix.
pub(super) async fn handle(app: &Arc<App>, rest: String, request: &Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return plain(405, "GET and HEAD are allowed\n");
    }
    let mut response = serve(app, rest, request).await.unwrap_or_else(|error| {
        tracing::error!(%error, "a file of an OpenAPI specification could not be read");
        plain(500, "This file could not be read. The server's log says why.\n")
    });
    // Tools on other sites read specifications. No cookie is read.
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (HeaderName::from_static("cross-origin-resource-policy"), "cross-origin"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn serve(app: &Arc<App>, rest: String, request: &Request) -> Result<Response> {
    let file = app.store.read_blocking(move |tx| openapi::public_file(tx, &rest)).await?;
    let Some(Raw { text, format }) = file else { return Ok(plain(404, "not found\n")) };
    let kind = match format {
        Format::Json => "application/json",
        Format::Yaml => "application/yaml",
    };
    let prepared = PreparedResponse::new(200, kind, CacheControl::Revalidate, text);
    Ok(send(&prepared, request.method(), request.headers()))
}
