//! The stages of a request: operation, caller, contract, target, use case, answer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use bindery_app::Tx;
use bindery_app::access::Caller;
use bindery_app::access::credentials::{self, Credentials};
use bindery_app::people::sessions::ClientInfo;
use bindery_app::publishing::urls::Urls;
use bindery_app::{App, Context, Limits};
use bindery_contract::{BodyLimit, Contract};
use bindery_http::{
    Client, DeviceCookie, Request, RequestBody, Response, SignedIn, is_cross_origin, request_host,
    user_agent,
};
use bindery_model::{Error, ErrorKind, Result};
use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use serde_json::{Value, json};

use crate::bodies::{Bodies, Sender};
use crate::call::Call;
use crate::idempotency::RolledBack;
use crate::intake::{
    check_csrf, check_head, is_read, media_type, read_json, receive_upload, request_credentials,
    wrong_media_type,
};
use crate::operation::{Operation, Run};
use crate::rate_limit::{CredentialCheck, RateLimits, RequestCharge};
use crate::reply::Reply;
use crate::respond::{
    description_response, error_response, error_to_response, method_not_allowed, to_response,
};
use crate::router::{Route, Router};
use crate::{groups, idempotency};

/// An extension of responses: the index of the request's operation in [`Api::operation_ids`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationIndex(pub usize);

/// The API: everything under `/v1`.
#[derive(Debug)]
pub struct Api(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    app: Arc<App>,
    registered: Arc<Registered>,
}

/// The client of a request and its credentials.
struct Origin {
    client: ClientInfo,
    credentials: Result<Option<Credentials>>,
    credential_check: CredentialCheck,
}

/// A routed request with its path parameters and its origin.
struct RoutedRequest {
    operation: &'static bindery_contract::Operation,
    path: Vec<(String, String)>,
    origin: Origin,
}

#[derive(Debug)]
struct Registered {
    contract: &'static Contract,
    router: Router,
    /// Handlers by the index of their operation in the contract; `None` for pending operations.
    operations: Vec<Option<Operation>>,
    requests: AtomicU64,
    description: OnceLock<Bytes>,
    rates: RateLimits,
    bodies: Arc<Bodies>,
}

/// Returns the kind of the credentials of a request, for the log.
const fn caller_kind(credentials: &Result<Option<Credentials>>) -> &'static str {
    match credentials {
        Ok(None) => "anonymous",
        Ok(Some(Credentials::Token(_))) => "token",
        Ok(Some(Credentials::Session { .. })) => "session",
        Err(_) => "invalid",
    }
}

impl Api {
    /// Registers every operation and checks that contract and handlers agree.
    ///
    /// # Errors
    /// Fails on a handler without an operation, and on an operation that has neither a handler nor
    /// a line in the list of pending operations.
    pub fn new(app: Arc<App>) -> Result<Self> {
        let contract = Contract::embedded();
        let registered = groups::operations();
        contract
            .check_handlers(registered.iter().map(|operation| operation.id))
            .map_err(|errors| Error::internal(errors.join("; ")))?;
        let mut operations: Vec<Option<Operation>> =
            contract.operations().iter().map(|_| None).collect();
        for operation in registered {
            let index = contract.operations().iter().position(|known| known.id == operation.id);
            if let Some(slot) = index.and_then(|index| operations.get_mut(index)) {
                *slot = Some(operation);
            }
        }
        let router = Router::new(contract)?;
        let requests = AtomicU64::new(app.clock.now().millis().cast_unsigned() << 20);
        let description = OnceLock::new();
        let rates = RateLimits::new(&app.limits);
        let bodies = Bodies::new(app.cache_dir.join("uploads"), &app.limits);
        let registered =
            Registered { contract, router, operations, requests, description, rates, bodies };
        let registered = Arc::new(registered);
        Ok(Self(Arc::new(Inner { app, registered })))
    }

    /// Answers a request under `/v1`. `reached_at` holds the server's addresses as this client
    /// reached them, if they differ from the configured ones.
    pub async fn handle(
        &self,
        request: Request,
        client: Client,
        reached_at: Option<Urls>,
    ) -> Response {
        let inner = match reached_at {
            None => Arc::clone(&self.0),
            urls => Arc::new(Inner {
                app: self.0.app.reached_at(urls),
                registered: Arc::clone(&self.0.registered),
            }),
        };
        let id = self.request_id();
        tracing::Span::current().record("request", id.as_str());
        let response = Self::handle_request(&inner, request, client, &id).await;
        Self::add_common_headers(response, &id)
    }

    /// Builds an error response for bytes that are not a valid HTTP request.
    pub fn refuse(&self, status: u16, message: &str) -> Response {
        Self::add_common_headers(error_response(status, message), &self.request_id())
    }

    /// Returns the contract's pattern for a path, such as `/v1/spaces/{spaceId}`, for the log. The
    /// path itself is not logged, as its parameters may be secrets.
    pub fn route_of(&self, method: &http::Method, path: &str) -> &'static str {
        let registered = &self.0.registered;
        match (path, registered.router.route(method, path)) {
            ("/v1/openapi.json", _) => "/v1/openapi.json",
            ("/v1/docs", _) => "/v1/docs",
            (_, Route::Found(index, _)) => {
                let operation = registered.contract.operations().get(index);
                operation.map_or("/v1", |operation| operation.path.as_str())
            }
            (_, Route::WrongMethod(_)) => "/v1 (no such method)",
            (_, Route::Unknown) => "/v1 (no such path)",
        }
    }

    /// Returns the ids of all operations, in the contract's order.
    pub fn operation_ids(&self) -> impl Iterator<Item = &'static str> {
        self.0.registered.contract.operations().iter().map(|operation| operation.id.as_str())
    }

    fn request_id(&self) -> String {
        format!("{:016x}", self.0.registered.requests.fetch_add(1, Ordering::Relaxed))
    }

    fn add_common_headers(mut response: Response, id: &str) -> Response {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(
                "ETag, Link, Location, X-Request-Id, Allow, Retry-After, Content-Disposition, \
                 RateLimit, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset",
            ),
        );
        if let Ok(value) = HeaderValue::from_str(id) {
            headers.insert(HeaderName::from_static("x-request-id"), value);
        }
        response
    }

    async fn handle_request(
        inner: &Arc<Inner>,
        request: Request,
        client: Client,
        id: &str,
    ) -> Response {
        let registered = &inner.registered;
        match request.uri().path() {
            "/v1/openapi.json" | "/v1/docs" if !is_read(&request) => {
                return method_not_allowed(request.method(), "GET, HEAD, OPTIONS");
            }
            "/v1/openapi.json" => {
                let contract = registered.contract;
                let bytes = registered
                    .description
                    .get_or_init(|| contract.openapi(&published_limits(&inner.app.limits)).into());
                return description_response(&request, "application/json", bytes.clone());
            }
            "/v1/docs" => {
                let page = Bytes::from_static(registered.contract.reference_html().as_bytes());
                return description_response(&request, "text/html; charset=utf-8", page);
            }
            _ => {}
        }
        let (parts, body) = request.into_parts();
        let client = ClientInfo {
            address: client.address,
            host: request_host(&parts, client.host),
            agent: user_agent(&parts),
            device: DeviceCookie { secure: inner.app.urls.secure() }
                .find(&parts.headers)
                .map(str::to_owned),
        };
        let credentials =
            request_credentials(&parts.headers, inner.app.urls.secure(), &client.host);
        let credential = credentials.as_ref().ok().and_then(Option::as_ref);
        let now = inner.app.clock.now();
        let mut rate_charge =
            registered.rates.charge_request(&parts.method, credential, client.address, now);
        let credential_check = rate_charge.credential_check();
        let mut response = match rate_charge.refusal() {
            Some(error) => error_to_response(&error, id),
            None => {
                let origin =
                    Origin { client, credentials, credential_check: credential_check.clone() };
                Self::dispatch(inner, parts, body, (origin, &mut rate_charge), id).await
            }
        };
        rate_charge.add_headers(&mut response);
        if credential_check.is_accepted() {
            response.extensions_mut().insert(SignedIn);
        }
        response
    }

    async fn dispatch(
        inner: &Arc<Inner>,
        parts: Parts,
        body: RequestBody,
        origin: (Origin, &mut RequestCharge<'_>),
        id: &str,
    ) -> Response {
        let path = if parts.uri.path() == "/v1" { "/v1/" } else { parts.uri.path() };
        let (index, path) = match inner.registered.router.route(&parts.method, path) {
            Route::Found(index, path) => (index, path),
            Route::Unknown => {
                let message = "no operation has this path; see /v1/docs";
                return error_response(404, message);
            }
            Route::WrongMethod(allow) => return method_not_allowed(&parts.method, &allow),
        };
        let route = (index, path);
        let mut response = Self::run_operation(inner, route, (parts, body), origin, id).await;
        response.extensions_mut().insert(OperationIndex(index));
        response
    }

    async fn run_operation(
        inner: &Arc<Inner>,
        (index, path): (usize, Vec<(String, String)>),
        (parts, body): (Parts, RequestBody),
        (origin, rate_charge): (Origin, &mut RequestCharge<'_>),
        id: &str,
    ) -> Response {
        let registered = &inner.registered;
        let Some(operation) = registered.contract.operations().get(index) else {
            return error_response(404, "no operation has this path; see /v1/docs");
        };
        tracing::Span::current()
            .record("operation", operation.id.as_str())
            .record("caller", caller_kind(&origin.credentials));
        let Some(Some(handler)) = registered.operations.get(index) else {
            let message = format!("{} is not implemented yet", operation.id);
            return error_response(501, &message);
        };
        if let Err(error) = rate_charge.charge(handler.cost.saturating_sub(1)) {
            return error_to_response(&error, id);
        }
        let if_none_match = parts.headers.get(header::IF_NONE_MATCH).cloned();
        let routed = RoutedRequest { operation, path, origin };
        match Self::run(inner, index, handler, routed, (parts, body)).await {
            Ok(reply) => to_response(&inner.app, reply, if_none_match.as_ref()),
            Err(error) => {
                let is_already_deleted = operation.method == bindery_contract::Method::Delete
                    && error.kind() == ErrorKind::NotFound
                    && operation.response(204).is_some();
                if is_already_deleted {
                    return to_response(&inner.app, Reply::empty(204), None);
                }
                error_to_response(&error, id)
            }
        }
    }

    async fn run(
        inner: &Arc<Inner>,
        index: usize,
        handler: &Operation,
        routed: RoutedRequest,
        (parts, body): (Parts, RequestBody),
    ) -> Result<Reply> {
        let RoutedRequest { operation, path, origin } = routed;
        let Origin { client, credentials, credential_check } = origin;
        let app = Arc::clone(&inner.app);
        let foreign = is_cross_origin(&parts.headers, &client.host);
        let credentials = check_csrf(credentials?, &parts, foreign, operation.public)?;
        if credentials.is_none() {
            require_signed_in(operation, &Caller::Anonymous)?;
        }
        let checked = check_head(operation, path, &parts, credentials.clone(), client, foreign);
        let authenticate = move |tx: &Tx<'_>, app: &App| {
            let found = credentials::authenticate_reader(tx, app, credentials.as_ref());
            credential_check.record(&found);
            let (caller, touch) = found?;
            require_signed_in(operation, &caller)?;
            Ok::<_, Error>((caller, touch))
        };
        if matches!(handler.run, Run::Read { .. }) {
            let (shared, shared_app) = (Arc::clone(inner), Arc::clone(&app));
            let run = move |tx: &Tx<'_>| {
                let (caller, touch) = authenticate(tx, &shared_app)?;
                let call = checked?;
                let cx = Context { tx, app: &shared_app, caller: &caller };
                let reply = match shared.registered.operations.get(index) {
                    Some(Some(Operation { run: Run::Read { handler, .. }, .. })) => {
                        handler(&cx, &call)
                    }
                    _ => Err(Error::internal("an operation lost its handler")),
                }?;
                Ok::<_, Error>((reply, touch))
            };
            let long = matches!(handler.run, Run::Read { long: true, .. });
            let (reply, touch) = if long {
                app.store.read_blocking(run).await?
            } else {
                app.store.read(run).await?
            };
            credentials::touch_later(&app, touch);
            return Ok(reply);
        }
        // Authorization precedes the body, so that only permitted callers make the server read one.
        let (shared, shared_app, call) = (Arc::clone(inner), Arc::clone(&app), Arc::new(checked));
        let shared_call = Arc::clone(&call);
        let admit = move |tx: &Tx<'_>| {
            let (caller, touch) = authenticate(tx, &shared_app)?;
            let operation = shared.registered.operations.get(index).and_then(Option::as_ref);
            if let (Ok(call), Some(admit)) =
                (&*shared_call, operation.and_then(|it| it.run.admit()))
            {
                drop(admit(&Context { tx, app: &shared_app, caller: &caller }, call)?);
            }
            Ok::<_, Error>((caller.person().map(|person| person.user), touch))
        };
        let (user, touch) = app.store.read(admit).await?;
        credentials::touch_later(&app, touch);
        let call =
            Arc::into_inner(call).ok_or_else(|| Error::internal("a request is still in use"))??;
        let sender = user.map_or(Sender::Address(call.client.address), Sender::Person);
        Self::run_with_body(inner, index, call, &parts.headers, (body, sender)).await
    }

    async fn run_with_body(
        inner: &Arc<Inner>,
        index: usize,
        mut call: Call,
        headers: &HeaderMap,
        (body, sender): (RequestBody, Sender),
    ) -> Result<Reply> {
        let (app, operation) = (Arc::clone(&inner.app), call.operation);
        if operation.body_limit == BodyLimit::Archive {
            return Self::run_upload(inner, index, call, headers, (body, sender)).await;
        }
        let key = idempotency::key(headers)?;
        call.body = {
            let bodies = &inner.registered.bodies;
            read_json(&app, operation, headers, bodies.track(sender, body)).await?
        };
        if let Some(Some(Operation { run: Run::Prepare { prepare, .. }, .. })) =
            inner.registered.operations.get(index)
        {
            let call = Arc::new(call);
            let admitted = Self::admit(inner, index, &call, key.clone()).await?;
            if let Some(answered) = admitted {
                return Ok(answered);
            }
            let files = prepare(&app, &call).await?;
            let call = Arc::into_inner(call)
                .ok_or_else(|| Error::internal("a request is still in use"))?;
            return Self::run_write(inner, index, Call { files, ..call }, key).await;
        }
        if let Some(Some(Operation { run: Run::Act { act, .. }, .. })) =
            inner.registered.operations.get(index)
        {
            let call = Arc::new(call);
            let _nothing = Self::admit(inner, index, &call, None).await?;
            return act(app, call).await;
        }
        Self::run_write(inner, index, call, key).await
    }

    /// Authorizes the caller before expensive work. Returns the stored answer if a request with
    /// this idempotency key has been answered before.
    async fn admit(
        inner: &Arc<Inner>,
        index: usize,
        call: &Arc<Call>,
        key: Option<String>,
    ) -> Result<Option<Reply>> {
        let (shared, shared_app, shared_call) =
            (Arc::clone(inner), Arc::clone(&inner.app), Arc::clone(call));
        let decide = move |tx: &Tx<'_>| {
            let (caller, _) =
                credentials::authenticate(tx, &shared_app, shared_call.credentials.as_ref())?;
            let cx = Context { tx, app: &shared_app, caller: &caller };
            match shared.registered.operations.get(index) {
                Some(Some(Operation { run, .. })) => {
                    if let Some(admit) = run.admit() {
                        drop(admit(&cx, &shared_call)?);
                    }
                }
                _ => return Err(Error::internal("an operation lost its handler")),
            }
            match &key {
                Some(key) => idempotency::stored_reply(&cx, &shared_call, key),
                None => Ok(None),
            }
        };
        inner.app.store.read(decide).await
    }

    /// Runs a handler in the single transaction of a change.
    async fn run_write(
        inner: &Arc<Inner>,
        index: usize,
        call: Call,
        key: Option<String>,
    ) -> Result<Reply> {
        let (shared, shared_app) = (Arc::clone(inner), Arc::clone(&inner.app));
        let space = call.get_path("spaceId").unwrap_or_default().to_owned();
        let run = move |tx: &Tx<'_>| {
            let caller = call.caller(tx, &shared_app)?;
            let cx = Context { tx, app: &shared_app, caller: &caller };
            let Some(Some(Operation {
                run: Run::Write { handler, .. } | Run::Prepare { handler, .. },
                ..
            })) = shared.registered.operations.get(index)
            else {
                return Err(Error::internal("an operation lost its handler").into());
            };
            match &key {
                None => Ok(handler(&cx, &call)?),
                Some(key) => idempotency::run_once(&cx, &call, key, || handler(&cx, &call)),
            }
        };
        let done = if space.is_empty() {
            inner.app.store.write(run).await
        } else {
            inner.app.store.write_serialized(&space, run).await
        };
        match done {
            Ok(reply) => Ok(reply),
            Err(RolledBack::Replayed(reply)) => Ok(*reply),
            Err(RolledBack::Failed(error)) => Err(error),
        }
    }

    async fn run_upload(
        inner: &Arc<Inner>,
        index: usize,
        call: Call,
        headers: &HeaderMap,
        (body, sender): (RequestBody, Sender),
    ) -> Result<Reply> {
        let media_type = media_type(headers);
        if !call.operation.body.as_ref().is_some_and(|body| body.accepts(&media_type)) {
            return Err(wrong_media_type(call.operation, &media_type));
        }
        let call = Arc::new(call);
        let app = Arc::clone(&inner.app);
        let upload = receive_upload(&app, inner.registered.bodies.track(sender, body)).await?;
        match inner.registered.operations.get(index) {
            Some(Some(Operation { run: Run::Receive { receive, .. }, .. })) => {
                receive(app, call, upload).await
            }
            _ => Err(Error::internal("an operation lost its handler")),
        }
    }
}

/// Rejects anonymous callers unless the operation is public.
fn require_signed_in(operation: &bindery_contract::Operation, caller: &Caller) -> Result<()> {
    if operation.public || caller.person().is_some() {
        return Ok(());
    }
    Err(Error::unauthenticated("this operation needs a token, or a session that has not ended"))
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
