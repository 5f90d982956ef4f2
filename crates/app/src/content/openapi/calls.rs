//! Calls of operations that readers make from published pages.
//!
//! A call is sent once, without following redirects, and nothing of it is stored or logged.

use std::time::{Duration, Instant};

use bindery_model::{Error, Result};
use bindery_openapi::Call;
use bindery_outbound::header::{ACCEPT, HeaderName, HeaderValue};
use bindery_outbound::{Method, Request, Url};

use crate::App;

/// Size in bytes after which the body of an answer is cut.
const MAX_ANSWER: usize = 1 << 20;
/// Maximum size of the headers of an answer that are kept, in bytes.
const MAX_HEADERS: usize = 64 << 10;
/// Maximum time in which an answer must arrive.
const MAX_TIME: Duration = Duration::from_secs(20);

/// The answer to a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallAnswer {
    /// The method.
    pub method: String,
    /// The address.
    pub url: String,
    /// The status.
    pub status: u16,
    /// The words of the status; empty if it is unknown.
    pub reason: String,
    /// The time that it took.
    pub milliseconds: u64,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// `true` if the body was longer.
    pub is_cut: bool,
}

/// Returns the reason why the server may not send a request to an address, as far as the address
/// says so: names are resolved when a request is sent.
#[must_use]
pub fn refusal_of_server(app: &App, address: &str) -> Option<String> {
    match Url::parse(address) {
        Ok(url) => app.client.guard().check_url(&url).err().map(|refusal| refusal.to_string()),
        Err(error) => Some(format!("{address} is no address: {error}")),
    }
}

/// Sends a call.
///
/// # Errors
/// Returns 400 for a method or a header that no request has, and if the other server may not be
/// reached or does not answer in time.
pub async fn call(app: &App, call: Call) -> Result<CallAnswer> {
    let Call { method, url, headers, secret_headers, body } = call;
    let invalid = |what: &str| Error::invalid(format!("The {what} is not valid in a request."));
    let named = Method::from_bytes(method.as_bytes()).map_err(|_| invalid("method"))?;
    if named == Method::CONNECT || named == Method::TRACE {
        return Err(invalid("method"));
    }
    let mut request = Request::new(named, url.clone()).without_redirects().total(MAX_TIME);
    let accepts = HeaderValue::from_static("application/json, */*;q=0.8");
    request = request.header(ACCEPT, accepts);
    let headers = headers.into_iter().map(|pair| (pair, false));
    let secrets = secret_headers.into_iter().map(|pair| (pair, true));
    for ((name, value), is_secret) in headers.chain(secrets) {
        let known = HeaderName::from_bytes(name.as_bytes());
        let known = known.map_err(|_| invalid(&format!("name of the header {name:?}")))?;
        let mut value = HeaderValue::from_str(&value)
            .map_err(|_| invalid(&format!("value of the header {name:?}")))?;
        value.set_sensitive(is_secret);
        request = request.header(known, value);
    }
    let request = request.body(body.unwrap_or_default()).body_limit(u64::MAX);
    let began = Instant::now();
    let refused = |error: bindery_outbound::Error| Error::invalid(error.to_string());
    let mut response = app.client.send(request).await.map_err(refused)?;
    let mut body = Vec::new();
    let mut is_cut = false;
    while let Some(chunk) = response.body.chunk().await.map_err(refused)? {
        let left = MAX_ANSWER - body.len();
        body.extend_from_slice(chunk.get(..left.min(chunk.len())).unwrap_or_default());
        is_cut = chunk.len() > left;
        if is_cut {
            break;
        }
    }
    let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut left = MAX_HEADERS;
    let headers = response.headers.iter().map_while(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        left = left.checked_sub(name.as_str().len() + value.len())?;
        Some((name.to_string(), value))
    });
    Ok(CallAnswer {
        method,
        url: url.into(),
        status: response.status.as_u16(),
        reason: response.status.canonical_reason().unwrap_or_default().to_owned(),
        milliseconds,
        headers: headers.collect(),
        body,
        is_cut,
    })
}
