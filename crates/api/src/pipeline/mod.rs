//! The stages of a request: operation, caller, contract, target, use case, answer.
//!
//! [`Api`] counts the request, finds its operation and converts the outcome to a response. The
//! stages between are methods of the kinds of operations in [`run`], on the types of [`request`].

mod description;
mod request;
pub(crate) mod run;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bindery_app::App;
use bindery_app::access::credentials::Credentials;
use bindery_app::people::sessions::ClientInfo;
use bindery_app::publishing::urls::Urls;
use bindery_contract::{Contract, Method};
use bindery_http::{
    Client, Compressor, DeviceCookie, Request, RequestBody, Response, SignedIn, is_cross_origin,
    request_host, user_agent,
};
use bindery_model::{Error, ErrorKind, Result};
use http::header::{self, HeaderName, HeaderValue};
use http::request::Parts;

use self::description::Description;
use self::request::{Execution, Origin, RoutedRequest, Unauthenticated};
use crate::bodies::Bodies;
use crate::groups;
use crate::intake::request_credentials;
use crate::rate_limit::{RateLimits, RequestCharge};
use crate::reply::Reply;
use crate::respond::{
    Preferences, error_response, error_to_response, method_not_allowed, to_response,
};
use crate::router::{Route, Router};

/// An extension of responses: the index of the request's operation in [`Api::operation_ids`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationIndex(pub usize);

/// The API: everything under `/v1`.
#[derive(Debug)]
pub struct Api {
    app: Arc<App>,
    contract: &'static Contract,
    router: Router,
    requests: AtomicU64,
    description: Description,
    rates: RateLimits,
    bodies: Arc<Bodies>,
    compressor: Compressor,
}

/// The header that carries the id of a request.
static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The headers of answers that pages of other origins may read.
static EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static(
    "ETag, Link, Location, X-Request-Id, Allow, Retry-After, Content-Disposition, RateLimit, \
     RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset",
);

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
    /// Fails on a handler without an operation, on an operation that has neither a handler nor a
    /// line in the list of pending operations, and on a handler that does not receive the body
    /// that the contract describes.
    pub fn new(app: Arc<App>) -> Result<Self> {
        let contract = Contract::embedded();
        let operations = groups::operations();
        contract
            .check_handlers(operations.iter().map(|operation| operation.id))
            .map_err(|errors| Error::internal(errors.join("; ")))?;
        let router = Router::new(contract, operations)?;
        let requests = AtomicU64::new(app.clock.now().millis().cast_unsigned() << 20);
        let description = Description::default();
        let rates = RateLimits::new(&app.limits);
        let bodies = Bodies::new(app.cache_dir.join("uploads"), &app.limits);
        let compressor = Compressor::default();
        Ok(Self { app, contract, router, requests, description, rates, bodies, compressor })
    }

    /// Answers a request under `/v1`. `reached_at` holds the server's addresses as this client
    /// reached them, if they differ from the configured ones.
    pub async fn handle(
        &self,
        request: Request,
        client: Client,
        reached_at: Option<Urls>,
    ) -> Response {
        let app = self.app.reached_at(reached_at);
        let id = self.request_id();
        tracing::Span::current().record("request", id.as_str());
        let response = self.handle_request(&app, request, client, &id).await;
        Self::add_common_headers(response, id)
    }

    /// Builds an error response for bytes that are not a valid HTTP request.
    pub fn refuse(&self, status: u16, message: &str) -> Response {
        Self::add_common_headers(error_response(status, message), self.request_id())
    }

    /// Returns the contract's pattern for a path, such as `/v1/spaces/{spaceId}`, for the log. The
    /// path itself is not logged, as its parameters may be secrets.
    pub fn route_of(&self, method: &http::Method, path: &str) -> &'static str {
        match (path, self.router.route(method, path)) {
            (description::OPENAPI, _) => description::OPENAPI,
            (path, _) if description::reference_path(path).is_some() => description::REFERENCE,
            (_, Route::Found(operation, _)) => operation.contract.path.as_str(),
            (_, Route::WrongMethod(_)) => "/v1 (no such method)",
            (_, Route::Unknown) => "/v1 (no such path)",
        }
    }

    /// Returns `true` if a request is a read of one object, which takes microseconds on SQLite.
    pub fn is_short_read(&self, method: &http::Method, path: &str) -> bool {
        let is_read = matches!(*method, http::Method::GET | http::Method::HEAD);
        match self.router.route(method, path) {
            Route::Found(operation, _) => is_read && operation.is_short_read(),
            Route::WrongMethod(_) | Route::Unknown => false,
        }
    }

    /// Returns the ids of all operations, in the contract's order.
    pub fn operation_ids(&self) -> impl Iterator<Item = &'static str> {
        self.contract.operations().iter().map(|operation| operation.id.as_str())
    }

    fn request_id(&self) -> String {
        format!("{:016x}", self.requests.fetch_add(1, Ordering::Relaxed))
    }

    fn add_common_headers(mut response: Response, id: String) -> Response {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS.clone());
        if let Ok(value) = HeaderValue::try_from(id) {
            headers.insert(&REQUEST_ID, value);
        }
        response
    }

    /// Counts a request for its user or address, and answers it unless the limit is used up.
    async fn handle_request(
        &self,
        app: &Arc<App>,
        request: Request,
        client: Client,
        id: &str,
    ) -> Response {
        if let Some(response) = self.description.answer(self.contract, &app.limits, &request) {
            return response;
        }
        let (parts, body) = request.into_parts();
        let secure = app.urls.secure();
        let client = ClientInfo {
            address: client.address,
            host: request_host(&parts, client.host),
            agent: user_agent(&parts),
            device: DeviceCookie { secure }.find(&parts.headers).map(str::to_owned),
        };
        let credentials = request_credentials(&parts.headers, secure, &client.host);
        let credential = credentials.as_ref().ok().and_then(Option::as_ref);
        let now = app.clock.now();
        let mut rate_charge =
            self.rates.charge_request(&parts.method, credential, client.address, now);
        let credential_check = rate_charge.credential_check();
        let mut response = match rate_charge.refusal() {
            Some(error) => error_to_response(&error, id),
            None => {
                let credential_check = credential_check.clone();
                let origin = Origin { client, credentials, credential_check };
                self.dispatch(app, (&parts, body), origin, &mut rate_charge, id).await
            }
        };
        rate_charge.add_headers(&mut response);
        if credential_check.is_accepted() {
            response.extensions_mut().insert(SignedIn);
        }
        response
    }

    /// Finds the operation of a request and answers with its outcome.
    async fn dispatch(
        &self,
        app: &Arc<App>,
        (parts, body): (&Parts, RequestBody),
        origin: Origin,
        rate_charge: &mut RequestCharge<'_>,
        id: &str,
    ) -> Response {
        let path = if parts.uri.path() == "/v1" { "/v1/" } else { parts.uri.path() };
        let (operation, path) = match self.router.route(&parts.method, path) {
            Route::Found(operation, path) => (operation, path),
            Route::Unknown => {
                return error_response(404, "no operation has this path; see /v1/docs");
            }
            Route::WrongMethod(allow) => return method_not_allowed(&parts.method, allow),
        };
        tracing::Span::current()
            .record("operation", operation.contract.id.as_str())
            .record("caller", caller_kind(&origin.credentials));
        let is_session = matches!(origin.credentials, Ok(Some(Credentials::Session { .. })));
        let is_foreign = is_session && is_cross_origin(&parts.headers, &origin.client.host);
        let preferences = Preferences::new(&parts.headers, is_foreign);
        let request = RoutedRequest { operation, path, parts, origin };
        let reply = match self.run(app, request, body, rate_charge).await {
            Err(error) if is_already_deleted(operation.contract, &error) => Ok(Reply::empty(204)),
            outcome => outcome,
        };
        // Errors are short, and repeat text of the request: they are not compressed.
        let mut response = match reply {
            Ok(reply) => to_response(app, &self.compressor, reply, preferences).await,
            Err(error) => error_to_response(&error, id),
        };
        response.extensions_mut().insert(operation.index);
        response
    }

    /// Counts the whole cost of a request and lets its operation execute it.
    async fn run(
        &self,
        app: &Arc<App>,
        routed: RoutedRequest<'_>,
        body: RequestBody,
        rate_charge: &mut RequestCharge<'_>,
    ) -> Result<Reply> {
        let operation = routed.operation;
        let Some(handler) = &operation.handler else {
            return Err(Error::pending(format!(
                "{} is not implemented yet",
                operation.contract.id
            )));
        };
        rate_charge.charge(handler.cost.saturating_sub(1))?;
        let headers = &routed.parts.headers;
        let request = Unauthenticated::new(routed)?;
        let execution = Execution { app, bodies: &self.bodies, headers, request, body };
        handler.run.execute(execution).await
    }
}

/// Returns `true` if a deletion failed because its target does not exist, which is the state that
/// the caller asks for.
fn is_already_deleted(operation: &bindery_contract::Operation, error: &Error) -> bool {
    operation.method == Method::Delete
        && error.kind() == ErrorKind::NotFound
        && operation.response(204).is_some()
}
