//! The description of the API, at `/v1/openapi.json` and `/v1/docs`.

use std::sync::OnceLock;

use bindery_app::Limits;
use bindery_contract::Contract;
use bindery_http::{Request, Response};
use bytes::Bytes;
use serde_json::{Value, json};

use crate::intake::is_read;
use crate::respond::{description_response, method_not_allowed};

/// The path of the description as OpenAPI.
pub(super) const OPENAPI: &str = "/v1/openapi.json";
/// The path of the description as HTML.
pub(super) const REFERENCE: &str = "/v1/docs";

/// The description as OpenAPI, which is built for the first request.
#[derive(Debug, Default)]
pub(super) struct Description(OnceLock<Bytes>);

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
        if path == OPENAPI {
            let build = || contract.openapi(&published_limits(limits)).into();
            let bytes = self.0.get_or_init(build).clone();
            return Some(description_response(request, "application/json", bytes));
        }
        let page = Bytes::from_static(contract.reference_html().as_bytes());
        Some(description_response(request, "text/html; charset=utf-8", page))
    }
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
