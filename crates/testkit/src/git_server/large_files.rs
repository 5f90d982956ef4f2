//! The server of Git LFS for the repositories: the batch API, and the files.

use std::collections::BTreeMap;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, header};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The end of the path of the batch API.
const BATCH: &str = ".git/info/lfs/objects/batch";
/// The start of the paths of files.
const FILES: &str = "/large-files/";
/// The path at which an upload is confirmed.
const VERIFY: &str = "/verify-large-file";
const MEDIA_TYPE: &str = "application/vnd.git-lfs+json";

/// A failure of uploads to Git LFS that the server simulates.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum LargeFileFault {
    /// No failure.
    #[default]
    None,
    /// Refuses each file with this message.
    Refuse(String),
    /// Refuses the batch of uploads with this status and message.
    RefuseBatch(u16, String),
    /// Answers the content of each file with this status and keeps nothing.
    Status(u16),
    /// Keeps another content than the one that it receives.
    KeepOther,
    /// Names addresses of files that begin with this origin.
    Origin(String),
}

/// The files in Git LFS by their SHA-256.
#[derive(Clone, Default, Debug)]
pub(super) struct LargeFiles {
    files: BTreeMap<String, Bytes>,
    is_enabled: bool,
    pub(super) fault: LargeFileFault,
}

/// A response of the server: the status, the media type and the body.
pub(super) type Response = (StatusCode, &'static str, Bytes);

impl LargeFiles {
    pub(super) fn enable(&mut self) {
        self.is_enabled = true;
    }

    pub(super) fn insert(&mut self, oid: &str, content: Bytes) {
        self.enable();
        self.files.insert(oid.to_owned(), content);
    }

    pub(super) fn get(&self, oid: &str) -> Option<Bytes> {
        self.files.get(oid).cloned()
    }

    /// Returns `true` if a request is for this server.
    pub(super) fn serves(path: &str) -> bool {
        path.ends_with(BATCH) || path.starts_with(FILES) || path == VERIFY
    }

    /// Answers a request. Its host is `host`.
    pub(super) fn answer(
        &mut self,
        host: &str,
        (method, path): (&Method, &str),
        headers: &HeaderMap,
        body: Bytes,
    ) -> Response {
        if let Some(oid) = path.strip_prefix(FILES) {
            return self.file(method, oid, headers, body);
        }
        let accepts = headers.get(header::ACCEPT).is_some_and(|accept| accept == MEDIA_TYPE);
        let request = serde_json::from_slice::<Value>(&body).unwrap_or_default();
        if method != Method::POST || !accepts || !self.is_enabled {
            return empty(StatusCode::NOT_FOUND);
        }
        if path == VERIFY {
            return self.verify(headers, &request);
        }
        if let (true, LargeFileFault::RefuseBatch(status, message)) =
            (request["operation"] == "upload", &self.fault)
        {
            let status = StatusCode::from_u16(*status).expect("a status");
            return (status, MEDIA_TYPE, json!({ "message": message }).to_string().into());
        }
        let objects = request["objects"].as_array().into_iter().flatten();
        let locate = |object| match request["operation"].as_str() {
            Some("upload") => self.accept(host, object),
            _ => self.locate(host, object),
        };
        let objects: Vec<Value> = objects.map(locate).collect();
        let response = json!({ "transfer": "basic", "objects": objects });
        (StatusCode::OK, MEDIA_TYPE, response.to_string().into())
    }

    /// Answers a request for a content, or stores one.
    fn file(&mut self, method: &Method, oid: &str, headers: &HeaderMap, body: Bytes) -> Response {
        // The batch API demands the header, as those of file storages demand signatures.
        if headers.get("x-access").is_none_or(|given| given != oid) {
            return empty(StatusCode::FORBIDDEN);
        }
        if method == Method::GET {
            return match self.get(oid) {
                Some(content) => (StatusCode::OK, "application/octet-stream", content),
                None => empty(StatusCode::NOT_FOUND),
            };
        }
        let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
        if method != Method::PUT || length != Some(&body.len().to_string()) {
            return empty(StatusCode::BAD_REQUEST);
        }
        let content = match &self.fault {
            LargeFileFault::Status(status) => {
                return empty(StatusCode::from_u16(*status).expect("a status"));
            }
            LargeFileFault::KeepOther => Bytes::from_static(b"other"),
            _ => body,
        };
        self.insert(oid, content);
        empty(StatusCode::CREATED)
    }

    /// Confirms that the server has a file with the content of its SHA-256.
    fn verify(&self, headers: &HeaderMap, request: &Value) -> Response {
        let oid = request["oid"].as_str().unwrap_or_default();
        let is_permitted = headers.get("x-verify").is_some_and(|given| given == oid);
        let is_right = self.files.get(oid).is_some_and(|content| {
            let digest = data_encoding::HEXLOWER.encode(&Sha256::digest(content));
            digest == oid && request["size"] == content.len()
        });
        empty(match (is_permitted, is_right) {
            (false, _) => StatusCode::FORBIDDEN,
            (true, false) => StatusCode::UNPROCESSABLE_ENTITY,
            (true, true) => StatusCode::OK,
        })
    }

    fn locate(&self, host: &str, object: &Value) -> Value {
        let oid = object["oid"].as_str().unwrap_or_default();
        if !self.files.contains_key(oid) {
            let error = json!({ "code": 404, "message": "it does not exist" });
            return json!({ "oid": oid, "size": object["size"], "error": error });
        }
        let href = format!("http://{host}{FILES}{oid}");
        let download = json!({ "href": href, "header": { "X-Access": oid } });
        json!({ "oid": oid, "size": object["size"], "actions": { "download": download } })
    }

    fn accept(&self, host: &str, object: &Value) -> Value {
        let oid = object["oid"].as_str().unwrap_or_default();
        if let LargeFileFault::Refuse(message) = &self.fault {
            let error = json!({ "code": 422, "message": message });
            return json!({ "oid": oid, "size": object["size"], "error": error });
        }
        if self.files.contains_key(oid) {
            return json!({ "oid": oid, "size": object["size"] });
        }
        let origin = match &self.fault {
            LargeFileFault::Origin(origin) => origin.clone(),
            _ => format!("http://{host}"),
        };
        let upload =
            json!({ "href": format!("{origin}{FILES}{oid}"), "header": { "X-Access": oid } });
        let verify = json!({ "href": format!("{origin}{VERIFY}"), "header": { "X-Verify": oid } });
        let actions = json!({ "upload": upload, "verify": verify });
        json!({ "oid": oid, "size": object["size"], "actions": actions })
    }
}

fn empty(status: StatusCode) -> Response {
    (status, "text/plain", Bytes::new())
}
