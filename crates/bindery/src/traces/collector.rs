//! The connection to the collector, through the client for all outbound requests.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use async_trait::async_trait;
use bindery_outbound::{Client, Guard, HeaderName, HeaderValue, Limits, Url};
use opentelemetry_http::{Bytes, HttpClient, HttpError};
use tokio::runtime::Handle;
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;

/// Minimum time between two log lines about failed exports.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);

/// Maximum size in bytes of a response of the collector.
const MAX_RESPONSE: u64 = 64 << 10;

/// Sends batches to the collector.
#[derive(Debug)]
pub(super) struct Collector {
    client: Client,
    headers: Vec<(HeaderName, HeaderValue)>,
    runtime: Handle,
    warned: Mutex<Option<Instant>>,
}

impl Collector {
    /// Creates the client. The operator chooses the collector, so its address may be in a private
    /// network.
    pub(super) fn new(
        headers: Vec<(HeaderName, HeaderValue)>,
        timeout: Duration,
        runtime: Handle,
    ) -> Result<Self> {
        let limits = Limits {
            connect: timeout,
            idle: timeout,
            total: timeout,
            body: MAX_RESPONSE,
            ..Limits::default()
        };
        let client = Client::new(Guard::any(), limits)?;
        Ok(Self { client, headers, runtime, warned: Mutex::default() })
    }

    async fn send(&self, request: http::Request<Bytes>) -> Result<http::Response<Bytes>> {
        let (head, body) = request.into_parts();
        let url = Url::parse(&head.uri.to_string())?;
        let mut request = bindery_outbound::Request::post(url, body);
        let given = head.headers.iter().map(|(name, value)| (name.clone(), value.clone()));
        for (name, value) in given.chain(self.headers.iter().cloned()) {
            request = request.header(name, value);
        }
        let client = self.client.clone();
        let exchange = async move {
            let response = client.send(request).await?;
            let (status, headers) = (response.status, response.headers);
            let mut answer = http::Response::new(response.body.bytes().await?);
            *answer.status_mut() = status;
            *answer.headers_mut() = headers;
            Ok(answer)
        };
        // The caller is the thread of the batches, which has no runtime. Without a subscriber, the
        // request has no spans, which would be exported by another request.
        self.runtime.spawn(exchange.with_subscriber(NoSubscriber::default())).await?
    }

    /// Logs a failed attempt, at most once a minute.
    fn warn(&self, problem: &dyn std::fmt::Display) {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.is_none_or(|last| last.elapsed() >= WARNING_INTERVAL) {
            *warned = Some(Instant::now());
            tracing::warn!(error = %problem, "traces cannot be exported");
        }
    }
}

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, HttpError> {
        match self.send(request).await {
            Ok(response) => {
                if !response.status().is_success() {
                    self.warn(&format!("the collector answers with {}", response.status()));
                }
                Ok(response)
            }
            Err(error) => {
                self.warn(&error);
                Err(error.into())
            }
        }
    }
}
