//! Single exchanges with the interface of a Git hosting service.

use std::time::Duration;

use bindery_model::Timestamp;
use bindery_outbound::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER};
use bindery_outbound::{Authorization, HeaderMap, HeaderValue, Request, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::{HostingError, host};
use super::values::shown;
use crate::App;

/// Maximum time of an exchange.
const MAX_TIME: Duration = Duration::from_secs(30);
/// Maximum size of an answer in bytes.
const MAX_ANSWER: u64 = 8 << 20;
/// Maximum length of the explanation of an error, in characters.
const MAX_REASON: usize = 200;
/// Maximum number of seconds that a service can ask the server to wait: a day.
const MAX_WAIT: u64 = 24 * 60 * 60;

/// The answer of a service: its status and its body.
pub(in crate::content) struct ServiceAnswer {
    url: Url,
    pub(in crate::content) status: u16,
    limit: RateLimit,
    /// The token of the request, which no message may contain.
    token: String,
    body: bytes::Bytes,
}

/// The headers of an answer that concern the number of requests.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct RateLimit {
    is_exceeded: bool,
    /// Seconds until the service accepts requests again.
    retry_after: Option<u64>,
}

impl RateLimit {
    /// Reads the headers of GitHub, GitLab and Gitea.
    fn read(status: u16, headers: &HeaderMap, now: Timestamp) -> Self {
        let number =
            |name: &str| -> Option<u64> { headers.get(name)?.to_str().ok()?.trim().parse().ok() };
        let after = number(RETRY_AFTER.as_str());
        let is_used_up = number("x-ratelimit-remaining") == Some(0);
        let seconds = u64::try_from(now.millis() / 1_000).unwrap_or_default();
        let reset = number("x-ratelimit-reset").filter(|_| is_used_up);
        let reset = reset.map(|reset| reset.saturating_sub(seconds));
        Self {
            is_exceeded: status == 429 || (status == 403 && (after.is_some() || is_used_up)),
            retry_after: after.or(reset).map(|seconds| seconds.min(MAX_WAIT)),
        }
    }
}

impl ServiceAnswer {
    /// Parses the body. `expected` names the value in the error.
    pub(in crate::content) fn parse<T: DeserializeOwned>(
        &self,
        expected: &'static str,
    ) -> Result<T, HostingError> {
        serde_json::from_slice(&self.body).map_err(|_| HostingError::answer(&self.url, expected))
    }

    /// Returns the explanation of an error: one line of text. It is empty if there is none, or if
    /// it repeats the token.
    pub(in crate::content) fn reason(&self) -> String {
        let body = serde_json::from_slice::<Value>(&self.body).unwrap_or_default();
        let mut texts = Vec::new();
        collect_texts(&body["message"], &mut texts);
        collect_texts(&body["error"], &mut texts);
        for error in body["errors"].as_array().into_iter().flatten() {
            collect_texts(error, &mut texts);
            collect_texts(&error["message"], &mut texts);
        }
        let text = texts.join("; ");
        if text.contains(&self.token) { String::new() } else { shown(&text, MAX_REASON) }
    }

    /// Returns the error that belongs to the status.
    pub(in crate::content) fn unexpected(&self) -> HostingError {
        let host = host(&self.url);
        match self.status {
            _ if self.limit.is_exceeded => {
                HostingError::RateLimited { host, retry_after: self.limit.retry_after }
            }
            status @ (401 | 403) => HostingError::Refused { host, status },
            404 => HostingError::Missing { host },
            status => HostingError::Status { host, status, reason: self.reason() },
        }
    }

    /// Fails with the error of the status, unless it is a permitted one.
    pub(in crate::content) fn expect(self, permitted: &[u16]) -> Result<Self, HostingError> {
        if permitted.contains(&self.status) { Ok(self) } else { Err(self.unexpected()) }
    }
}

/// Collects a text, or the texts of a list or of the lists of an object.
fn collect_texts<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(values) => texts.extend(values.iter().filter_map(Value::as_str)),
        Value::Object(fields) => {
            let lists = fields.values().filter_map(Value::as_array).flatten();
            texts.extend(lists.filter_map(Value::as_str));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Sends a request with a token. The token is sent to the host of the request only, never to one to
/// which the service redirects.
pub(in crate::content) async fn send(
    app: &App,
    request: Request,
    token: &str,
) -> Result<ServiceAnswer, HostingError> {
    let url = request.url().clone();
    // Valid tokens have no control characters.
    let authorization = Authorization::new(&format!("Bearer {token}"));
    if authorization.is_none() {
        let (limit, body) = (RateLimit::default(), bytes::Bytes::new());
        return Ok(ServiceAnswer { url, status: 401, limit, token: token.to_owned(), body });
    }
    let json = HeaderValue::from_static("application/json");
    let request = request
        .header(ACCEPT, json.clone())
        .header(CONTENT_TYPE, json)
        .authorization(authorization)
        .total(MAX_TIME)
        .body_limit(MAX_ANSWER);
    let response = app.client.send(request).await?;
    let status = response.status.as_u16();
    let limit = RateLimit::read(status, &response.headers, app.clock.now());
    let body = response.body.bytes().await?;
    Ok(ServiceAnswer { url, status, limit, token: token.to_owned(), body })
}

/// Returns an address of the interface of a service, below its base.
pub(in crate::content) fn below(base: &Url, segments: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}

#[cfg(test)]
mod tests {
    use bindery_outbound::HeaderName;

    use super::*;

    fn answer(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> ServiceAnswer {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect();
        let url = Url::parse("https://git.example/api/v4/projects/7?x=secret").unwrap();
        let limit = RateLimit::read(status, &headers, Timestamp::from_millis(1_800_000_000_000));
        let (token, body) = ("the-token".to_owned(), bytes::Bytes::from(body.to_owned()));
        ServiceAnswer { url, status, limit, token, body }
    }

    #[test]
    fn paths_are_below_the_base() {
        for (base, expect) in [
            ("https://git.example", "https://git.example/api/v4"),
            ("https://git.example/", "https://git.example/api/v4"),
            ("https://example.org/git", "https://example.org/git/api/v4"),
            ("https://example.org/git/", "https://example.org/git/api/v4"),
        ] {
            let base = Url::parse(base).unwrap();
            assert_eq!(below(&base, &["api", "v4"]).as_str(), expect);
        }
        let base = Url::parse("https://git.example/api/v4").unwrap();
        let nested = below(&base, &["projects", "a/b ?", "hooks"]);
        assert_eq!(nested.as_str(), "https://git.example/api/v4/projects/a%2Fb%20%3F/hooks");
    }

    #[test]
    fn statuses_are_told_apart() {
        let used_up = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1800000090")];
        let left = [("x-ratelimit-remaining", "12"), ("x-ratelimit-reset", "1800000090")];
        for (status, headers, code, is_temporary) in [
            (401, &[][..], "needs-credentials", false),
            (403, &[][..], "needs-credentials", false),
            (403, &left[..], "needs-credentials", false),
            (403, &used_up[..], "rate-limited", true),
            (403, &[("retry-after", "60")][..], "rate-limited", true),
            (429, &[][..], "rate-limited", true),
            (404, &used_up[..], "remote", false),
            (422, &[][..], "remote", false),
            (500, &[][..], "remote", true),
            (302, &[][..], "remote", false),
        ] {
            let error = answer(status, headers, "").unexpected();
            assert_eq!((error.code(), error.is_temporary()), (code, is_temporary), "{status}");
            let text = error.to_string();
            assert!(text.contains("git.example") && !text.contains("secret"), "{text}");
        }
    }

    #[test]
    fn waits_are_read_from_the_headers() {
        let used_up = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1800000090")];
        for (headers, expect) in [
            (&[("retry-after", "60")][..], Some(60)),
            (&used_up[..], Some(90)),
            (&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "5")][..], Some(0)),
            (&[("retry-after", "99999999999")][..], Some(MAX_WAIT)),
            (&[("retry-after", "Fri, 31 Dec 1999 23:59:59 GMT")][..], None),
            (&[][..], None),
        ] {
            let error = answer(429, headers, "").unexpected();
            let HostingError::RateLimited { retry_after, .. } = error else { panic!("{error}") };
            assert_eq!(retry_after, expect, "{headers:?}");
        }
    }

    #[test]
    fn explanations_become_one_line() {
        let long = format!(r#"{{"message":"{}"}}"#, "x".repeat(1_000));
        let cut = "x".repeat(MAX_REASON);
        for (body, expect) in [
            (r#"{"message":"No commits"}"#, "No commits"),
            (r#"{"message":["one","two"]}"#, "one; two"),
            (r#"{"message":{"base":["taken"]},"error":"x"}"#, "taken; x"),
            (
                r#"{"message":"Failed","errors":[{"message":"exists"},"odd"]}"#,
                "Failed; exists; odd",
            ),
            ("{\"message\":\"a\\nb\\u001b[1m\\u202ec\"}", "a b [1m c"),
            (&long, &cut),
            (r#"{"message":"bad header: Bearer the-token"}"#, ""),
            ("[1]", ""),
            ("no JSON", ""),
        ] {
            assert_eq!(answer(422, &[], body).reason(), expect, "{body}");
        }
    }
}
