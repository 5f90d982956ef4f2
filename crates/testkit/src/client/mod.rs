//! An API client for tests. It takes methods and paths from the contract, and panics if an exchange
//! violates the contract.

use crate::exchange;
use bindery_contract::{Contract, Operation};
use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use http::{HeaderName, HeaderValue, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client as Connections;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

/// A caller of a server.
#[derive(Clone, Debug)]
pub struct Client {
    connections: Connections<HttpConnector, Full<Bytes>>,
    address: String,
    token: Option<String>,
}

impl Client {
    /// Returns the token.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Returns a caller of the server at `address` (`http://host:port`), with an optional token.
    pub fn new(address: &str, token: Option<&str>) -> Self {
        Self {
            connections: Connections::builder(TokioExecutor::new()).build_http(),
            address: address.trim_end_matches('/').to_owned(),
            token: token.map(ToOwned::to_owned),
        }
    }

    /// Returns a caller of the same server with another token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self.clone() }
    }

    /// Returns a caller of the same server without a token.
    #[must_use]
    pub fn anonymous(&self) -> Self {
        Self { token: None, ..self.clone() }
    }

    /// Returns a caller with the same token and another server address, for example after a
    /// restart.
    #[must_use]
    pub fn at(&self, address: &str) -> Self {
        Self { token: self.token.clone(), ..Self::new(address, None) }
    }

    /// Starts building a call of an operation of the contract.
    ///
    /// # Panics
    /// Panics if the contract has no operation with this id.
    pub fn call(&self, operation: &str) -> Call {
        let operation = Contract::embedded()
            .operation(operation)
            .unwrap_or_else(|| panic!("the contract has no operation {operation}"));
        Call {
            client: self.clone(),
            operation,
            path: Vec::new(),
            query: Vec::new(),
            headers: HeaderMap::new(),
            body: None,
        }
    }

    /// Sends a GET request to an address outside the API: a published page, a file, a health check.
    ///
    /// # Panics
    /// Panics if there is no response.
    pub async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::get(self.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::default()).expect("a request");
        self.exchange(request, &format!("GET {path}")).await
    }

    fn url(&self, path: &str) -> String {
        if path.starts_with("http://") {
            path.to_owned()
        } else {
            format!("{}{path}", self.address)
        }
    }

    async fn exchange(&self, request: Request<Full<Bytes>>, what: &str) -> Answer {
        let response = self
            .connections
            .request(request)
            .await
            .unwrap_or_else(|error| panic!("{what}: no answer: {error:?}"));
        let (parts, body) = response.into_parts();
        let body = body
            .collect()
            .await
            .unwrap_or_else(|error| panic!("{what}: the response ended early: {error}"))
            .to_bytes();
        let json = serde_json::from_slice(&body).unwrap_or(Value::Null);
        Answer {
            what: what.to_owned(),
            status: parts.status.as_u16(),
            headers: parts.headers,
            body,
            json,
        }
    }
}

/// A call under construction.
#[derive(Debug)]
pub struct Call {
    client: Client,
    operation: &'static Operation,
    path: Vec<(String, String)>,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    body: Option<(String, Bytes)>,
}

impl Call {
    /// Sets a path parameter. The value is percent-encoded.
    #[must_use]
    pub fn path(mut self, name: &str, value: impl ToString) -> Self {
        self.path.push((name.to_owned(), value.to_string()));
        self
    }

    /// Adds a query parameter. The value is percent-encoded; a name can be added several times.
    #[must_use]
    pub fn query(mut self, name: &str, value: impl ToString) -> Self {
        self.query.push((name.to_owned(), value.to_string()));
        self
    }

    /// Sets a header, replacing an earlier one with this name.
    ///
    /// # Panics
    /// Panics if the name or the value is not valid in a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let name: HeaderName = name.parse().expect("a header's name");
        self.headers.insert(name, value.parse().expect("a header's value"));
        self
    }

    /// Sets a JSON body.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    /// Sets a body of any type, which need not be well-formed.
    #[must_use]
    pub fn body(mut self, content_type: &str, body: impl Into<Bytes>) -> Self {
        self.body = Some((content_type.to_owned(), body.into()));
        self
    }

    /// Sends the request and checks the exchange: the response must conform to the contract, and a
    /// request that violates the contract must not succeed.
    ///
    /// # Panics
    /// Panics if there is no response or the exchange violates the contract.
    pub async fn send(self) -> Answer {
        let request = self.request();
        let what = format!("{} ({} {})", self.operation.id, request.method(), request.uri());
        let answer = self.client.exchange(request, &what).await;
        let sent = exchange::SentRequest {
            path: &self.path,
            query: &self.query,
            headers: &self.headers,
            body: self
                .body
                .as_ref()
                .map(|(content_type, body)| (content_type.as_str(), body.as_ref())),
        };
        if let Err(complaint) = exchange::check(self.operation, &sent, &answer) {
            panic!("{what} breaks the contract: {complaint}\n{answer}");
        }
        answer
    }

    fn request(&self) -> Request<Full<Bytes>> {
        let mut request = Request::builder()
            .method(self.operation.method.as_str())
            .uri(self.client.url(&self.target()))
            .header(ACCEPT, "*/*");
        if let Some(token) = &self.client.token {
            let mut value = HeaderValue::try_from(format!("Bearer {token}")).expect("a token");
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        let body = match &self.body {
            Some((content_type, body)) => {
                request = request.header(CONTENT_TYPE, content_type);
                body.clone()
            }
            None => Bytes::new(),
        };
        let mut request = request.body(Full::new(body)).expect("a request");
        for (name, value) in &self.headers {
            request.headers_mut().insert(name, value.clone());
        }
        request
    }

    /// Returns the path and the query with encoded values.
    fn target(&self) -> String {
        let mut target = self.operation.path.clone();
        for (name, value) in &self.path {
            let place = format!("{{{name}}}");
            assert!(target.contains(&place), "{} has no {place} in its path", self.operation.id);
            target = target.replace(&place, &encode(value));
        }
        assert!(!target.contains('{'), "{target} lacks a parameter");
        for (index, (name, value)) in self.query.iter().enumerate() {
            let separator = if index == 0 { '?' } else { '&' };
            target.push(separator);
            target.push_str(&format!("{}={}", encode(name), encode(value)));
        }
        target
    }
}

/// The response of a server.
#[derive(Clone, Debug)]
pub struct Answer {
    what: String,
    /// The status code.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as bytes.
    pub body: Bytes,
    /// The body as JSON; null if it is not JSON.
    pub json: Value,
}

impl Answer {
    /// Returns this response if it has the expected status.
    ///
    /// # Panics
    /// Panics with the whole response if it has another status.
    #[must_use]
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert!(self.status == status, "expected {status}: {self}");
        self
    }

    /// Returns the value at a JSON pointer.
    ///
    /// # Panics
    /// Panics if there is no value.
    #[track_caller]
    pub fn at(&self, pointer: &str) -> &Value {
        self.json.pointer(pointer).unwrap_or_else(|| panic!("nothing at {pointer}: {self}"))
    }

    /// Returns the text at a JSON pointer.
    ///
    /// # Panics
    /// Panics if there is no text.
    #[track_caller]
    pub fn text_at(&self, pointer: &str) -> &str {
        let found = self.at(pointer);
        found.as_str().unwrap_or_else(|| panic!("no text at {pointer}: {self}"))
    }

    /// Returns the value of a header; empty if it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Returns the body as text, with replacement characters for invalid UTF-8.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the message of an error response.
    ///
    /// # Panics
    /// Panics if there is no message.
    #[track_caller]
    pub fn message(&self) -> &str {
        self.text_at("/error/message")
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} answered {}", self.what, self.status)?;
        for (name, value) in &self.headers {
            writeln!(f, "  {name}: {}", String::from_utf8_lossy(value.as_bytes()))?;
        }
        let text = self.text();
        write!(f, "  {}", text.get(..2000).unwrap_or(&text))
    }
}

/// Percent-encodes all characters except the unreserved ones of RFC 3986.
fn encode(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests;
