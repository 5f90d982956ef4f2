//! The console with which readers call the operations of OpenAPI specifications on pages.
//!
//! The browser sends the values of a form, and the server sends the request: only for operations
//! that a page of the site shows, which a signature in the page proves, and only to the servers that
//! the specification names. Neither requests nor credentials are stored or logged.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bindery_app::App;
use bindery_app::content::openapi::{self, CallAnswer, FileSpec};
use bindery_app::content::snapshot::broken_object;
use bindery_app::publishing::adaptive::ClaimsOf;
use bindery_app::publishing::resolve::HostSites;
use bindery_app::publishing::urls::Urls;
use bindery_content::document::OpenApiPart;
use bindery_http::{ReadBodyError, Request, RequestBody, Response, query_pairs, read_body};
use bindery_model::{Error, ErrorKind, FileId, Result, SiteId};
use bindery_openapi::{
    Call, CallBody, CallCredential, CallField, CallForm, CallParameter, CallServer, CallValues,
    CallVariable, Description, FormField, Language,
};
use http::header::{self, HeaderMap, HeaderValue};
use http::request::Parts;
use http::{Method, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::clients::network;
use super::received::{self, Received, is_foreign, sent};
use super::site_cache::LoadedSite;
use super::{PageRequest, SiteRequest, Sites, visitors};
use crate::http::{CacheControl, PreparedResponse};
use crate::i18n::messages;
use crate::urls::API_CONSOLE;
use crate::view::openapi::{ConsoleLabels, Texts as _};

/// Maximum size of a request with the values of a form, in bytes.
const MAX_REQUEST: u64 = 4 << 20;
/// Maximum number of calls at the same time.
const MAX_CALLS: usize = 32;
/// The seconds after which a caller with too many calls at the same time tries again.
const RETRY_SECONDS: u32 = 5;
/// The time in which calls are counted.
const WINDOW: Duration = Duration::from_secs(60);
/// Number of remembered callers at which those of earlier times are removed.
const MAX_REMEMBERED: usize = 8_192;

/// Returns `true` if a path is the address of a console.
pub(super) fn is_addressed(path: &str) -> bool {
    path.strip_suffix(API_CONSOLE).is_some_and(|base| base.ends_with('/'))
}

/// The origin of calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Caller {
    Address(IpAddr),
    Site(SiteId),
}

impl Caller {
    /// Returns the maximum numbers of calls within [`WINDOW`], and at the same time.
    const fn limits(self) -> (u32, u32) {
        match self {
            Self::Address(_) => (30, 4),
            Self::Site(_) => (300, 12),
        }
    }
}

/// The calls of a caller.
#[derive(Clone, Copy, Debug)]
struct Calls {
    /// The begin of the window in which they are counted.
    began: Instant,
    count: u32,
    /// The number of calls that have not ended.
    running: u32,
}

impl Calls {
    fn is_recent(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.began) < WINDOW
    }
}

/// Counts calls, and limits those at the same time.
#[derive(Debug)]
pub(super) struct CallLimiter {
    calls: Mutex<HashMap<Caller, Calls>>,
    permits: Semaphore,
}

/// A call that is counted, which ends when dropped.
#[derive(Debug)]
struct Running<'l> {
    limiter: &'l CallLimiter,
    callers: [Caller; 2],
    _permit: SemaphorePermit<'l>,
}

impl Default for CallLimiter {
    fn default() -> Self {
        Self { calls: Mutex::default(), permits: Semaphore::new(MAX_CALLS) }
    }
}

impl CallLimiter {
    fn calls(&self) -> MutexGuard<'_, HashMap<Caller, Calls>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a call. Returns the seconds to wait if there are too many.
    fn begin(&self, callers: [Caller; 2], now: Instant) -> std::result::Result<Running<'_>, u32> {
        let Ok(permit) = self.permits.try_acquire() else { return Err(RETRY_SECONDS) };
        let mut known = self.calls();
        if known.len() >= MAX_REMEMBERED {
            known.retain(|_, calls| calls.running > 0 || calls.is_recent(now));
        }
        for caller in callers {
            let Some(calls) = known.get_mut(&caller) else { continue };
            if !calls.is_recent(now) {
                (calls.began, calls.count) = (now, 0);
            }
            let (most, at_once) = caller.limits();
            if calls.count >= most {
                let left = WINDOW.saturating_sub(now.saturating_duration_since(calls.began));
                return Err(u32::try_from(left.as_secs() + 1).unwrap_or(u32::MAX));
            }
            if calls.running >= at_once {
                return Err(RETRY_SECONDS);
            }
        }
        for caller in callers {
            let none = Calls { began: now, count: 0, running: 0 };
            let calls = known.entry(caller).or_insert(none);
            calls.count += 1;
            calls.running += 1;
        }
        drop(known);
        Ok(Running { limiter: self, callers, _permit: permit })
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut known = self.limiter.calls();
        for caller in self.callers {
            if let Some(calls) = known.get_mut(&caller) {
                calls.running = calls.running.saturating_sub(1);
            }
        }
    }
}

/// An operation that a page of a site shows.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ShownOperation {
    spec: String,
    method: String,
    path: String,
}

/// Returns the key that proves that a page of a site shows an operation.
pub(super) fn key(app: &App, site: SiteId, spec: &str, method: &str, path: &str) -> String {
    app.secrets.cursor(&list(site), &format!("{spec}\n{method}\n{path}"))
}

/// The begin of the names of descriptions in files, which no specification has.
const FILE: &str = "file ";

/// Returns the name of the description in a file of a space.
pub(super) fn name_of_file(file: &str) -> String {
    format!("{FILE}{file}")
}

fn list(site: SiteId) -> String {
    format!("api-console {site}")
}

impl ShownOperation {
    fn of(app: &App, site: SiteId, key: &str) -> Result<Self> {
        let unknown = || Error::not_found("operation with this key");
        let named = app.secrets.cursor_place(&list(site), key).ok_or_else(unknown)?;
        let mut parts = named.splitn(3, '\n').map(str::to_owned);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(spec), Some(method), Some(path)) => Ok(Self { spec, method, path }),
            _ => Err(unknown()),
        }
    }

    /// Returns the file with the description; `None` for a specification.
    fn file(&self) -> Option<FileId> {
        self.spec.strip_prefix(FILE).and_then(FileId::parse)
    }

    /// Returns the description of the operation with the values that it needs, and the language of
    /// the site.
    fn read(&self, request: &SiteRequest<'_>) -> Result<(Description, &'static ConsoleLabels)> {
        let missing = || Error::not_found("operation with this key");
        let Self { path, method, .. } = self.clone();
        let part = OpenApiPart::Operation { path, method };
        let objects = request.tx.objects();
        let file = self.file();
        for space in &request.site.spaces {
            let found = match (file, space.specs.named(&self.spec)) {
                (Some(file), _) => {
                    let content = &space.snapshot.revision.content;
                    let read = FileSpec::read(content, &objects, file).map_err(broken_object)?;
                    let Some(read) = read else { continue };
                    read.of_part(&part)
                }
                (None, Some(pieces)) => pieces.of_part(&objects, &part).map_err(broken_object)?,
                (None, None) => continue,
            };
            let (description, _) = found.ok_or_else(missing)?;
            let language = messages(space.interface_language()).language;
            return Ok((description, ConsoleLabels::of(language)));
        }
        Err(missing())
    }
}

/// The values of a form.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent {
    key: String,
    #[serde(default)]
    server: usize,
    #[serde(default)]
    variables: BTreeMap<String, String>,
    #[serde(default)]
    parameters: Vec<SentParameter>,
    content_type: Option<String>,
    body: Option<String>,
    form: Option<Vec<SentField>>,
    #[serde(default)]
    credentials: Vec<SentCredential>,
    /// `true` if the request is only written as a command.
    #[serde(default)]
    as_curl: bool,
}

#[derive(Deserialize)]
struct SentParameter {
    name: String,
    r#in: String,
    values: Vec<String>,
}

#[derive(Deserialize)]
struct SentField {
    name: String,
    value: Option<String>,
    file: Option<SentFile>,
}

#[derive(Deserialize)]
struct SentFile {
    name: String,
    r#type: String,
    base64: String,
}

#[derive(Deserialize)]
struct SentCredential {
    name: String,
    value: Option<String>,
    user: Option<String>,
    password: Option<String>,
}

impl Sent {
    /// Returns the fields of a form with parts.
    fn parts(&self) -> Option<Vec<FormField>> {
        let is_multipart = self.content_type.as_ref()?.starts_with("multipart/");
        let fields = self.form.as_ref().filter(|_| is_multipart)?.iter();
        let of = |field: &SentField| FormField {
            name: field.name.clone(),
            value: field.value.clone().filter(|_| field.file.is_none()),
        };
        Some(fields.map(of).collect())
    }

    /// Returns the values of the call.
    fn values(self, boundary: &str) -> Result<CallValues> {
        let Self { server, variables, parameters, content_type, body, form, credentials, .. } =
            self;
        let parameters = parameters.into_iter();
        let credentials = credentials.into_iter().map(|credential| {
            let SentCredential { name, value, user, password } = credential;
            let pair = || format!("{}:{}", user.unwrap_or_default(), password.unwrap_or_default());
            (name, value.unwrap_or_else(pair))
        });
        let (content_type, body) = match (content_type, form) {
            (Some(kind), Some(fields)) => {
                let (kind, body) = form_body(&kind, &fields, boundary)?;
                (Some(kind), Some(body))
            }
            (kind, _) => (kind, body.map(String::into_bytes)),
        };
        Ok(CallValues {
            server,
            variables,
            parameters: parameters.map(|one| (one.name, one.r#in, one.values)).collect(),
            content_type,
            body,
            credentials: credentials.collect(),
        })
    }
}

/// Returns the media type and the body of a form.
fn form_body(kind: &str, fields: &[SentField], boundary: &str) -> Result<(String, Vec<u8>)> {
    if !kind.starts_with("multipart/") {
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let pairs = fields.iter().map(|field| {
            let value = field.value.as_deref().unwrap_or_default();
            format!("{}={}", encoded(&field.name), encoded(value))
        });
        let pairs: Vec<String> = pairs.collect();
        return Ok((kind.to_owned(), pairs.join("&").into_bytes()));
    }
    // Quotes and line breaks in names are encoded as browsers do (HTML, multipart form data).
    let named = |text: &str| text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
    let mut body = Vec::new();
    for SentField { name, value, file } in fields {
        let name = named(name);
        let mut head = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"");
        let bytes = match file {
            Some(SentFile { name, r#type: kind, base64 }) => {
                let kind = if HeaderValue::from_str(kind).is_ok() && !kind.is_empty() {
                    kind.as_str()
                } else {
                    "application/octet-stream"
                };
                head += &format!("; filename=\"{}\"\r\nContent-Type: {kind}", named(name));
                STANDARD.decode(base64).map_err(|_| {
                    Error::invalid(format!("The file of the field {name:?} is no Base64."))
                })?
            }
            None => value.clone().unwrap_or_default().into_bytes(),
        };
        body.extend_from_slice(format!("{head}\r\n\r\n").as_bytes());
        body.extend(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok((format!("multipart/form-data; boundary={boundary}"), body))
}

impl Sites {
    /// Responds to a request of the console.
    pub(super) async fn serve_console(
        &self,
        request: Request,
        address: IpAddr,
        host: &HostSites,
        reached_at: Option<Urls>,
    ) -> Response {
        let (head, body) = request.into_parts();
        match self.answer_console(&head, body, address, host, reached_at).await {
            Ok(response) => response,
            Err(error) => refusal(&error),
        }
    }

    async fn answer_console(
        &self,
        head: &Parts,
        body: RequestBody,
        address: IpAddr,
        host: &HostSites,
        reached_at: Option<Urls>,
    ) -> Result<Response> {
        if is_foreign(&head.headers) {
            return Err(Error::forbidden("The request was sent by a page of another site."));
        }
        let app = self.app.reached_at(reached_at);
        let request = PageRequest::of(head, address);
        let received = self.receive(&app, host, request, visitors::enter).await?;
        let (site, admitted) = match received {
            Received::Site { site, below: API_CONSOLE, admitted } => (site, admitted),
            Received::Site { .. } | Received::Preview => return Ok(received::absent(&app)),
            Received::Answer(response) => return Ok(*response),
        };
        let claims = admitted.claims.clone();
        let _permit = self.clients.acquire(address).await;
        let id = site.site.id;
        match head.method {
            Method::GET => {
                let pairs = query_pairs(request.query).unwrap_or_default();
                let key = pairs.into_iter().find(|(name, _)| name == "key");
                let (_, key) =
                    key.ok_or_else(|| Error::invalid("The query has no parameter \"key\"."))?;
                let shown = ShownOperation::of(&app, id, &key)?;
                // A file is read as a whole for each form.
                let _running = shown.file().map(|_| self.begin_call(id, address)).transpose()?;
                let of_client = Arc::clone(&app);
                let form = self.read_as_visitor(&app, site, claims, move |request| {
                    let (description, labels) = shown.read(request)?;
                    let form = description.call_form(&shown.path, &shown.method);
                    let form = form.ok_or_else(|| Error::not_found("form of this operation"))?;
                    Ok(shown_form(&of_client, &shown, form, labels))
                });
                Ok(answer(200, &form.await?))
            }
            Method::POST => {
                let sent = read_sent(&head.headers, body).await?;
                self.call(&app, site, claims, address, sent).await
            }
            _ => Err(Error::invalid("The console takes GET and POST.")),
        }
    }

    /// Sends the call that a form makes.
    async fn call(
        &self,
        app: &Arc<App>,
        site: Arc<LoadedSite>,
        claims: Option<ClaimsOf>,
        address: IpAddr,
        sent: Sent,
    ) -> Result<Response> {
        let _running = self.begin_call(site.site.id, address)?;
        if sent.as_curl {
            let parts = sent.parts();
            let call = self.prepare(app, site, claims, sent).await?;
            let curl = Language::Curl.program(&call.into_request(parts));
            return Ok(answer(200, &json!({ "curl": curl })));
        }
        let call = self.prepare(app, site, claims, sent).await?;
        let answered = openapi::call(app, call).await?;
        Ok(answer(200, &shown_answer(answered)))
    }

    /// Counts a call until the result is dropped.
    fn begin_call(&self, site: SiteId, address: IpAddr) -> Result<Running<'_>> {
        let callers = [Caller::Address(network(address)), Caller::Site(site)];
        self.calls.begin(callers, Instant::now()).map_err(|seconds| {
            Error::rate_limited("Too many requests were sent.").retry_after(seconds)
        })
    }

    /// Returns the request that the values of a form make.
    async fn prepare(
        &self,
        app: &Arc<App>,
        site: Arc<LoadedSite>,
        claims: Option<ClaimsOf>,
        sent: Sent,
    ) -> Result<Call> {
        let shown = ShownOperation::of(app, site.site.id, &sent.key)?;
        let boundary: [u8; 16] = app.entropy.bytes();
        let boundary = boundary.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let values = sent.values(&boundary)?;
        let call = self.read_as_visitor(app, site, claims, move |request| {
            let (description, _) = shown.read(request)?;
            description.call(&shown.path, &shown.method, &values).map_err(Error::invalid)
        });
        call.await
    }
}

/// Returns the answer to a call as the browser shows it.
fn shown_answer(answered: CallAnswer) -> Value {
    let CallAnswer { method, url, status, reason, milliseconds, headers, body, is_cut } = answered;
    let size = body.len();
    let (body, encoding) = text_or_base64(body, is_cut);
    json!({
        "request": { "method": method, "url": url },
        "status": status,
        "reason": reason,
        "milliseconds": milliseconds,
        "headers": headers,
        "body": body,
        "encoding": encoding,
        "size": size,
        "isCut": is_cut,
    })
}

/// Returns a body as text if it is UTF-8, apart from a last character that was cut.
fn text_or_base64(bytes: Vec<u8>, is_cut: bool) -> (String, &'static str) {
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => (text, "text"),
        Ok(text) => (STANDARD.encode(text), "base64"),
        Err(error) => {
            let (valid, is_incomplete) =
                (error.utf8_error().valid_up_to(), error.utf8_error().error_len().is_none());
            let bytes = error.into_bytes();
            match std::str::from_utf8(bytes.get(..valid).unwrap_or_default()) {
                Ok(text) if is_cut && is_incomplete => (text.to_owned(), "text"),
                _ => (STANDARD.encode(bytes), "base64"),
            }
        }
    }
}

async fn read_sent(headers: &HeaderMap, body: RequestBody) -> Result<Sent> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(Error::wrong_media_type("The content type must be application/json."));
    }
    let bytes = read_body(body, MAX_REQUEST).await.map_err(|error| match error {
        ReadBodyError::TooLarge => {
            Error::too_large(format!("The request is larger than {MAX_REQUEST} bytes."))
        }
        _ => Error::invalid("The request did not arrive completely or in time."),
    })?;
    serde_json::from_slice(&bytes).map_err(|error| {
        Error::invalid(format!("The body is not what the console sends: {error}."))
    })
}

/// Returns what the form of an operation shows.
fn shown_form(
    app: &App,
    shown: &ShownOperation,
    form: CallForm,
    labels: &'static ConsoleLabels,
) -> Value {
    let CallForm { title, servers, parameters, body_required, bodies, security } = form;
    let labels: serde_json::Map<String, Value> =
        labels.texts().into_iter().map(|(name, text)| (camel_case(name), text.into())).collect();
    json!({
        "title": title,
        "method": shown.method.to_uppercase(),
        "path": shown.path,
        "servers": servers.into_iter().map(|one| shown_server(app, one)).collect::<Vec<_>>(),
        "parameters": parameters.into_iter().map(shown_parameter).collect::<Vec<_>>(),
        "bodyRequired": body_required,
        "bodies": bodies.into_iter().map(shown_body).collect::<Vec<_>>(),
        "security": security
            .into_iter()
            .map(|way| way.into_iter().map(shown_credential).collect::<Vec<_>>())
            .collect::<Vec<_>>(),
        "labels": labels,
    })
}

/// Returns a server with the reason why it cannot be reached, as far as its address says so.
fn shown_server(app: &App, server: CallServer) -> Value {
    let CallServer { url, description, variables } = server;
    let mut complete = url.clone();
    let variables: Vec<Value> = variables
        .into_iter()
        .map(|CallVariable { name, default, values, description }| {
            complete = complete.replace(&format!("{{{name}}}"), &default);
            json!({ "name": name, "default": default, "enum": values, "description": description })
        })
        .collect();
    let refusal = openapi::refusal_of_server(app, &complete);
    json!({ "url": url, "description": description, "variables": variables, "refusal": refusal })
}

fn shown_parameter(parameter: CallParameter) -> Value {
    let CallParameter { name, place, required, description, kind, values, value, multiple } =
        parameter;
    json!({
        "name": name,
        "in": place,
        "required": required,
        "description": description,
        "type": kind,
        "enum": values,
        "value": value,
        "multiple": multiple,
    })
}

fn shown_body(body: CallBody) -> Value {
    let CallBody { kind, example, fields } = body;
    let fields = fields.map(|fields| {
        let fields = fields.into_iter().map(|CallField { name, required, is_file, value }| {
            json!({ "name": name, "required": required, "isFile": is_file, "value": value })
        });
        fields.collect::<Vec<_>>()
    });
    json!({ "type": kind, "example": example, "fields": fields })
}

fn shown_credential(credential: CallCredential) -> Value {
    let CallCredential { name, kind, place, parameter } = credential;
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    json!({ "name": name, "kind": kind, "in": some(place), "parameter": some(parameter) })
}

/// Returns a name with words after underscores in camel case.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut all, word| {
        let mut chars = word.chars();
        all.extend(chars.next().map(|c| c.to_ascii_uppercase()));
        all + chars.as_str()
    })
}

fn answer(status: u16, value: &Value) -> Response {
    let kind = "application/json";
    sent(&PreparedResponse::new(status, kind, CacheControl::Private, value.to_string()))
}

fn refusal(error: &Error) -> Response {
    let status = match error.kind() {
        ErrorKind::Invalid => StatusCode::BAD_REQUEST,
        ErrorKind::Forbidden => StatusCode::FORBIDDEN,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorKind::WrongMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorKind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        _ => {
            tracing::error!(%error, "the console of a site failed");
            StatusCode::INTERNAL_SERVER_ERROR
        }
    };
    let message = match status {
        StatusCode::INTERNAL_SERVER_ERROR => "The request failed. The server's log says why.",
        _ => error.message(),
    };
    let value = json!({ "error": { "code": status.as_u16(), "message": message } });
    let mut response = answer(status.as_u16(), &value);
    if let Some(seconds) = error.retry_after_seconds() {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_limited_by_address_and_site() {
        let limiter = CallLimiter::default();
        let now = Instant::now();
        let site = Caller::Site(SiteId::random(&bindery_model::Entropy::seeded(1)));
        let begin = |host: u8, at: Instant| {
            limiter.begin([Caller::Address(IpAddr::from([10, 0, 0, host])), site], at)
        };
        let running: Vec<_> = (0..4).map(|_| begin(1, now).unwrap()).collect();
        assert_eq!(begin(1, now).unwrap_err(), RETRY_SECONDS);
        let of_others: Vec<_> = (2..10).map(|host| begin(host, now).unwrap()).collect();
        assert_eq!(of_others.len(), 8);
        assert_eq!(begin(11, now).unwrap_err(), RETRY_SECONDS);
        drop((running, of_others));
        for _ in 4..30 {
            assert!(begin(1, now).is_ok());
        }
        assert_eq!(begin(1, now).unwrap_err(), 61);
        assert!(begin(1, now + WINDOW).is_ok());
    }

    #[test]
    fn bodies_are_text_if_they_can_be() {
        assert_eq!(text_or_base64(b"{}".to_vec(), false), ("{}".to_owned(), "text"));
        assert_eq!(text_or_base64(vec![b'a', 0xe2, 0x82], true), ("a".to_owned(), "text"));
        assert_eq!(text_or_base64(vec![b'a', 0xe2, 0x82], false).1, "base64");
        assert_eq!(text_or_base64(vec![0xff, 0xd8], true).1, "base64");
        assert_eq!(text_or_base64(vec![0], false), ("AA==".to_owned(), "base64"));
    }

    #[test]
    fn names_of_forms_cannot_leave_their_header() {
        let field =
            SentField { name: "a\"\r\nX: y".to_owned(), value: Some("1".to_owned()), file: None };
        let (kind, body) = form_body("multipart/form-data", &[field], "b").unwrap();
        assert_eq!(kind, "multipart/form-data; boundary=b");
        let text = String::from_utf8(body).unwrap();
        let expect =
            "--b\r\nContent-Disposition: form-data; name=\"a%22%0D%0AX: y\"\r\n\r\n1\r\n--b--\r\n";
        assert_eq!(text, expect);
    }

    #[test]
    fn names_of_labels_are_in_camel_case() {
        assert_eq!(camel_case("one_per_line"), "onePerLine");
        assert_eq!(camel_case("send"), "send");
    }
}
