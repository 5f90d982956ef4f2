//! The description of the API, at `/v1/openapi.json` and `/v1/docs`.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use bindery_app::Limits;
use bindery_contract::{Contract, ReferenceFile};
use bindery_http::{Body, Request, Response, query_pairs};
use bindery_site::http::{CacheControl, PreparedResponse};
use bindery_site::style;
use bytes::Bytes;
use http::header;
use serde_json::{Value, json};

use crate::intake::is_read;
use crate::respond::{error_response, method_not_allowed};

/// The path of the description as OpenAPI.
pub(super) const OPENAPI: &str = "/v1/openapi.json";
/// The path of the description as HTML.
pub(super) const REFERENCE: &str = "/v1/docs";

/// The path of the search in the description as HTML.
const SEARCH: &str = "search";

/// The responses with the description. Each is built, and compressed in each encoding, for the first
/// request that needs it.
#[derive(Debug, Default)]
pub(super) struct Description {
    openapi: OnceLock<PreparedResponse>,
    /// The files of the reference by their paths, of which there are some hundreds.
    reference: RwLock<HashMap<String, Arc<PreparedResponse>>>,
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
        let reference = reference_path(path);
        if path != OPENAPI && reference.is_none() {
            return None;
        }
        if !is_read(request) {
            return Some(method_not_allowed(request.method(), "GET, HEAD, OPTIONS"));
        }
        let send = |prepared: &PreparedResponse| {
            prepared.to_response(request.method(), request.headers()).map(Body::from)
        };
        Some(match reference {
            None => send(self.openapi.get_or_init(|| {
                prepared("application/json", contract.openapi(&published_limits(limits)))
            })),
            Some(SEARCH) => {
                let pairs = query_pairs(request.uri().query().unwrap_or_default());
                let query = pairs.into_iter().flatten().find(|(name, _)| name == "q");
                let query = query.map(|(_, value)| value).unwrap_or_default();
                let ReferenceFile { content_type, content } = contract.search_reference(&query);
                send(&prepared(content_type, content).unlisted(false))
            }
            Some(path) => match self.reference_file(contract, path) {
                Some(file) => send(&file),
                None => error_response(404, "the API reference has no such page; see /v1/docs"),
            },
        })
    }

    /// Returns the response with a file of the reference; `None` if there is no such file.
    fn reference_file(
        &self,
        contract: &'static Contract,
        path: &str,
    ) -> Option<Arc<PreparedResponse>> {
        let known =
            self.reference.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        if known.is_some() {
            return known;
        }
        let ReferenceFile { content_type, content } = contract.reference_file(path)?;
        let content = match content_type.starts_with("text/css") {
            true => format!("{}{content}", style::tokens()),
            false => content,
        };
        let file = Arc::new(prepared(content_type, content));
        let mut files = self.reference.write().unwrap_or_else(PoisonError::into_inner);
        files.insert(path.to_owned(), Arc::clone(&file));
        Some(file)
    }
}

/// Returns the path of a file below that of the reference; `None` for other paths.
pub(super) fn reference_path(path: &str) -> Option<&str> {
    let rest = path.strip_prefix(REFERENCE)?;
    match rest.strip_prefix('/') {
        Some(rest) => Some(rest.strip_suffix('/').unwrap_or(rest)),
        None => rest.is_empty().then_some(""),
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
        notification_delay: _,
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
