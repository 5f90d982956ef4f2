//! The server of Git LFS for the repositories: the batch API, and the files.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{Method, StatusCode, header};
use serde_json::{Value, json};

/// The end of the path of the batch API.
const BATCH: &str = ".git/info/lfs/objects/batch";
/// The start of the paths of files.
const FILES: &str = "/large-files/";
const MEDIA_TYPE: &str = "application/vnd.git-lfs+json";

/// The files in Git LFS by their SHA-256.
#[derive(Clone, Default, Debug)]
pub(super) struct LargeFiles(BTreeMap<String, Bytes>);

/// A response of the server: the status, the media type and the body.
pub(super) type Response = (StatusCode, &'static str, Bytes);

impl LargeFiles {
    pub(super) fn insert(&mut self, oid: &str, content: Bytes) {
        self.0.insert(oid.to_owned(), content);
    }

    /// Returns `true` if a request is for this server.
    pub(super) fn serves(path: &str) -> bool {
        path.ends_with(BATCH) || path.starts_with(FILES)
    }

    /// Answers a request. Its host is `host`.
    pub(super) fn answer(
        &self,
        host: &str,
        (method, path): (&Method, &str),
        headers: &http::HeaderMap,
        body: &[u8],
    ) -> Response {
        let refused = (StatusCode::FORBIDDEN, "text/plain", Bytes::new());
        let missing = (StatusCode::NOT_FOUND, "text/plain", Bytes::new());
        if let Some(oid) = path.strip_prefix(FILES) {
            // The batch API demands the header, as those of file storages demand signatures.
            return match self.0.get(oid) {
                Some(_) if headers.get("x-access").is_none_or(|given| given != oid) => refused,
                Some(content) => (StatusCode::OK, "application/octet-stream", content.clone()),
                None => missing,
            };
        }
        let is_batch = headers.get(header::ACCEPT).is_some_and(|accept| accept == MEDIA_TYPE);
        let Ok(request) = serde_json::from_slice::<Value>(body) else { return missing };
        if method != Method::POST || !is_batch || self.0.is_empty() {
            return missing;
        }
        let objects = request["objects"].as_array().into_iter().flatten();
        let objects: Vec<Value> = objects.map(|object| self.locate(host, object)).collect();
        let response = json!({ "transfer": "basic", "objects": objects });
        (StatusCode::OK, MEDIA_TYPE, response.to_string().into())
    }

    fn locate(&self, host: &str, object: &Value) -> Value {
        let oid = object["oid"].as_str().unwrap_or_default();
        if !self.0.contains_key(oid) {
            let error = json!({ "code": 404, "message": "it does not exist" });
            return json!({ "oid": oid, "size": object["size"], "error": error });
        }
        let href = format!("http://{host}{FILES}{oid}");
        let download = json!({ "href": href, "header": { "X-Access": oid } });
        json!({ "oid": oid, "size": object["size"], "actions": { "download": download } })
    }
}
