//! The description of the API, at `/v1/openapi.json` and `/v1/docs`.

use std::sync::OnceLock;

use bindery_app::Limits;
use bindery_contract::Contract;
use bindery_http::{Body, Request, Response};
use bindery_site::http::{CacheControl, PreparedResponse};
use bytes::Bytes;
use http::header;
use serde_json::{Value, json};

use crate::intake::is_read;
use crate::respond::method_not_allowed;

/// The path of the description as OpenAPI.
pub(super) const OPENAPI: &str = "/v1/openapi.json";
/// The path of the description as HTML.
pub(super) const REFERENCE: &str = "/v1/docs";

/// The Content-Security-Policy of the description as HTML.
const REFERENCE_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/// The responses with the description. Each is built, and compressed in each encoding, for the first
/// request that needs it.
#[derive(Debug, Default)]
pub(super) struct Description {
    openapi: OnceLock<PreparedResponse>,
    reference: OnceLock<PreparedResponse>,
}

impl Description {
    /// Answers a request for the description; `None` if the path is another one.
    pub(super) fn answer(
        &self,
        contract: &'static Contract,
        limits: &Limits,
        request: &Request,
    ) -> Option<Response> {
        let path = request.uri().path();
        if !matches!(path, OPENAPI | REFERENCE) {
            return None;
        }
        if !is_read(request) {
            return Some(method_not_allowed(request.method(), "GET, HEAD, OPTIONS"));
        }
        let prepared = if path == OPENAPI {
            self.openapi.get_or_init(|| {
                prepared("application/json", contract.openapi(&published_limits(limits)))
            })
        } else {
            self.reference.get_or_init(|| {
                prepared("text/html; charset=utf-8", contract.reference_html())
                    .with_header(header::CONTENT_SECURITY_POLICY, REFERENCE_POLICY)
            })
        };
        Some(prepared.to_response(request.method(), request.headers()).map(Body::from))
    }
}

/// Returns a response that caches may keep for a few minutes.
fn prepared(content_type: &'static str, body: impl Into<Bytes>) -> PreparedResponse {
    PreparedResponse::new(200, content_type, CacheControl::Revalidate, body)
        .with_header(header::CACHE_CONTROL, "public, max-age=300")
}

/// Returns the configured limits as the description publishes them.
fn published_limits(limits: &Limits) -> Value {
    let Limits {
        json_body,
        content_body,
        archive_body,
        json_depth,
        body_time,
        import_bytes,
        import_files,
        import_file_bytes,
        import_time,
        requests_per_user,
        requests_per_address,
        // The sizes of caches bound no request.
        git_cache_bytes: _,
        page_cache_bytes: _,
        text_cache_bytes: _,
        audit_days: _,
        upload_bytes_per_caller,
        upload_bytes: _,
    } = limits;
    json!({
        "jsonBody": json_body,
        "contentBody": content_body,
        "archiveBody": archive_body,
        "uploadBytesPerCaller": upload_bytes_per_caller,
        "jsonDepth": json_depth,
        "bodySeconds": body_time.as_secs(),
        "importBytes": import_bytes,
        "importFiles": import_files,
        "importFileBytes": import_file_bytes,
        "importSeconds": import_time.as_secs(),
        "requestsPerUser": requests_per_user,
        "requestsPerAddress": requests_per_address,
    })
}
