//! Requests to the interface of a Git hosting service.

use std::time::Duration;

use bindery_outbound::header::{ACCEPT, CONTENT_TYPE};
use bindery_outbound::{Authorization, Client, Error as OutboundError, HeaderValue, Request, Url};
use serde::de::DeserializeOwned;

/// Maximum time of an exchange.
const MAX_TIME: Duration = Duration::from_secs(30);
/// Maximum size of an answer in bytes.
const MAX_ANSWER: u64 = 4 << 20;

/// A repository as its hosting service describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct HostedRepository {
    /// Its name with that of its owner, such as `team/docs`.
    pub(super) name: String,
    /// The address at which people see it.
    pub(super) url: String,
    /// The address from which it is fetched.
    pub(super) clone_url: String,
    /// The name of the default branch; `None` if the repository is empty.
    pub(super) default_branch: Option<String>,
}

/// The result of a request for a repository.
#[derive(Clone, Debug)]
pub(super) enum Lookup {
    /// The repository.
    Found(HostedRepository),
    /// The service does not accept the credentials.
    Unauthenticated,
}

/// A failed exchange. Its message names the host, and no secrets.
#[derive(Debug, thiserror::Error)]
pub(super) enum ServiceError {
    /// No answer arrived.
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    /// The answer has an unexpected status.
    #[error("{host} answers with the status {status}")]
    Status {
        /// The host.
        host: String,
        /// The status.
        status: u16,
    },
    /// The answer is not what the interface of the service promises.
    #[error("{host} answers with something else than {expected}")]
    Answer {
        /// The host.
        host: String,
        /// The expected value.
        expected: &'static str,
    },
}

impl ServiceError {
    pub(super) fn status(url: &Url, status: u16) -> Self {
        Self::Status { host: host(url), status }
    }
}

pub(super) fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

/// The answer of a service: its status and its body.
pub(super) struct ServiceAnswer {
    url: Url,
    pub(super) status: u16,
    body: bytes::Bytes,
}

impl ServiceAnswer {
    /// Parses the body. `expected` names the value in the error.
    pub(super) fn parse<T: DeserializeOwned>(
        &self,
        expected: &'static str,
    ) -> Result<T, ServiceError> {
        serde_json::from_slice(&self.body)
            .map_err(|_| ServiceError::Answer { host: host(&self.url), expected })
    }

    /// Returns an error that names the status.
    pub(super) fn unexpected(&self) -> ServiceError {
        ServiceError::status(&self.url, self.status)
    }
}

/// Sends a request with a token. The token is sent to the host of the request only, never to one to
/// which the service redirects.
pub(super) async fn send(
    client: &Client,
    request: Request,
    token: &str,
) -> Result<ServiceAnswer, ServiceError> {
    let url = request.url().clone();
    // Valid tokens have no control characters.
    let authorization = Authorization::new(&format!("Bearer {token}"));
    if authorization.is_none() {
        return Ok(ServiceAnswer { url, status: 401, body: bytes::Bytes::new() });
    }
    let json = HeaderValue::from_static("application/json");
    let request = request
        .header(ACCEPT, json.clone())
        .header(CONTENT_TYPE, json)
        .authorization(authorization)
        .total(MAX_TIME)
        .body_limit(MAX_ANSWER);
    let response = client.send(request).await?;
    let status = response.status.as_u16();
    let body = response.body.bytes().await?;
    Ok(ServiceAnswer { url, status, body })
}

/// Returns an address of the interface of a service, below its base.
pub(super) fn below(base: &Url, segments: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
