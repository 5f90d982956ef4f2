//! Export of the spans of requests, jobs, transactions and outbound requests with OTLP.
//!
//! Spans wait in a bounded queue, and a thread sends them to the collector in batches. Spans that
//! do not fit into the queue are dropped, so that a slow collector never delays a request.

mod collector;
mod conventions;

use std::time::Duration;

use anyhow::{Context as _, Result};
use bindery_http::Request;
use bindery_outbound::{HeaderName, HeaderValue, Url};
use opentelemetry::KeyValue;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::HeaderExtractor;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracerProvider,
};
use percent_encoding::percent_decode_str;
use tokio::runtime::Handle;
use tracing::level_filters::LevelFilter;
use tracing::{Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use collector::Collector;
use conventions::Conventions;

/// Maximum number of finished spans that wait for the collector.
const QUEUE: usize = 4096;

/// Maximum number of spans in a request to the collector.
const BATCH: usize = 512;

/// Interval at which waiting spans are sent.
const INTERVAL: Duration = Duration::from_secs(2);

/// Maximum time for a batch, including repeated attempts.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum time at the end of the server in which waiting spans are sent.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// The configuration of the export.
#[derive(Clone, Debug)]
pub(crate) struct TraceExport {
    /// Address of the collector, with the path for traces.
    endpoint: Url,
    /// Headers of each request to the collector. Their values are secrets and never printed.
    headers: Vec<(HeaderName, HeaderValue)>,
    /// Part of the traces that are exported, from 0 to 1.
    sample_ratio: f64,
}

impl TraceExport {
    /// Returns the configuration; `None` without an endpoint.
    ///
    /// # Errors
    /// Fails if a value is malformed, or if there is no endpoint to which the other values apply.
    /// Messages do not contain values of headers.
    pub(crate) fn from_options(
        endpoint: Option<String>,
        headers: Option<String>,
        sample_ratio: Option<f64>,
    ) -> Result<Option<Self>> {
        let Some(endpoint) = endpoint else {
            anyhow::ensure!(
                headers.is_none() && sample_ratio.is_none(),
                "the export of traces needs an address: --otlp-endpoint"
            );
            return Ok(None);
        };
        let sample_ratio = sample_ratio.unwrap_or(1.0);
        anyhow::ensure!(
            (0.0..=1.0).contains(&sample_ratio),
            "--otlp-sample-ratio {sample_ratio}: the ratio must be a number from 0 to 1"
        );
        Ok(Some(Self {
            endpoint: traces_url(&endpoint)?,
            headers: parse_headers(&headers.unwrap_or_default())?,
            sample_ratio,
        }))
    }
}

/// Returns the address for traces below the address of a collector: `http://host:4318` becomes
/// `http://host:4318/v1/traces`.
fn traces_url(endpoint: &str) -> Result<Url> {
    let mut url = Url::parse(endpoint).context("--otlp-endpoint")?;
    anyhow::ensure!(
        matches!(url.scheme(), "http" | "https"),
        "--otlp-endpoint: the address must begin with http:// or https://"
    );
    anyhow::ensure!(
        url.username().is_empty() && url.password().is_none(),
        "--otlp-endpoint: credentials belong in --otlp-headers, not in the address"
    );
    let path = format!("{}/v1/traces", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok(url)
}

/// Parses headers in the form of `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,name=value`, with
/// percent-encoded values.
fn parse_headers(text: &str) -> Result<Vec<(HeaderName, HeaderValue)>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let parse = |part: &str| {
        let (name, value) = part.split_once('=')?;
        let name = name.trim().parse::<HeaderName>().ok()?;
        let value: Vec<u8> = percent_decode_str(value.trim()).collect();
        let mut value = HeaderValue::from_bytes(&value).ok()?;
        value.set_sensitive(true);
        Some((name, value))
    };
    parts
        .enumerate()
        .map(|(index, part)| {
            parse(part).with_context(|| {
                format!("--otlp-headers: header {} is not of the form name=value", index + 1)
            })
        })
        .collect()
}

/// The running export.
pub(crate) struct Traces {
    provider: SdkTracerProvider,
}

impl Traces {
    /// Starts the thread that sends the spans. Requests to the collector run on `runtime`.
    ///
    /// # Errors
    /// Fails if TLS cannot be set up, or if an `OTEL_` variable contradicts the export.
    pub(crate) fn start(export: &TraceExport, runtime: Handle) -> Result<Self> {
        let TraceExport { endpoint, headers, sample_ratio } = export;
        let collector = Collector::new(headers.clone(), EXPORT_TIMEOUT, runtime)?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(collector)
            .with_endpoint(endpoint.as_str())
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(EXPORT_TIMEOUT)
            .build()
            .context("cannot export traces")?;
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUE)
            .with_max_export_batch_size(BATCH)
            .with_scheduled_delay(INTERVAL)
            .build();
        let processor = BatchSpanProcessor::builder(Conventions::new(exporter))
            .with_batch_config(batches)
            .build();
        let resource = Resource::builder()
            .with_service_name("bindery")
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        let provider = SdkTracerProvider::builder()
            .with_span_processor(processor)
            // The decision depends on the id of the trace only. A sampler that follows the caller's
            // flag would let every client decide that its requests are exported.
            .with_sampler(Sampler::TraceIdRatioBased(*sample_ratio))
            .with_resource(resource)
            .build();
        Ok(Self { provider })
    }

    /// Returns the layer that passes finished spans to the export. It ignores events, because log
    /// lines can contain addresses of clients, and the spans of dependencies.
    pub(crate) fn layer<S>(&self) -> impl Layer<S> + Send + Sync + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a> + Send + Sync,
    {
        // `tracing::enabled!` asks with metadata that are neither a span nor an event. If the filter
        // refused them, `tracing-subscriber` would apply the refusal to the next span, too.
        let own_spans =
            filter_fn(|metadata| !metadata.is_event() && metadata.target().starts_with("bindery"));
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("bindery"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_context_activation(false)
            .with_filter(own_spans.with_max_level_hint(LevelFilter::DEBUG))
    }

    /// Sends the waiting spans and ends the export, within a time limit.
    pub(crate) async fn shut_down(self) {
        let provider = self.provider;
        let end = move || provider.shutdown_with_timeout(SHUTDOWN_TIMEOUT);
        if !matches!(tokio::task::spawn_blocking(end).await, Ok(Ok(()))) {
            tracing::warn!("the last spans could not be exported");
        }
    }
}

/// Makes the span of a request part of the trace that its header `traceparent` names, and adds the
/// method.
pub(crate) fn describe_request(span: &Span, request: &Request) {
    if request.headers().contains_key("traceparent") {
        let headers = HeaderExtractor(request.headers());
        // Fails only if the span is not exported.
        let _ignored = span.set_parent(TraceContextPropagator::new().extract(&headers));
    }
    span.set_attribute("http.request.method", conventions::method(request.method()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn export(endpoint: &str, headers: &str, ratio: f64) -> Result<TraceExport> {
        let (endpoint, headers) = (endpoint.to_owned(), headers.to_owned());
        let export = TraceExport::from_options(Some(endpoint), Some(headers), Some(ratio));
        export.map(Option::unwrap)
    }

    #[test]
    fn the_path_for_traces_is_appended() {
        for (endpoint, url) in [
            ("http://localhost:4318", "http://localhost:4318/v1/traces"),
            ("https://example.org/otlp/", "https://example.org/otlp/v1/traces"),
            ("https://example.org/otlp?key=1", "https://example.org/otlp/v1/traces?key=1"),
        ] {
            assert_eq!(export(endpoint, "", 1.0).unwrap().endpoint.as_str(), url);
        }
        for endpoint in ["localhost:4318", "ftp://example.org", "http://a:b@example.org", ""] {
            assert!(export(endpoint, "", 1.0).is_err(), "{endpoint}");
        }
        assert!(TraceExport::from_options(None, None, None).unwrap().is_none());
        assert!(TraceExport::from_options(None, None, Some(0.5)).is_err());
    }

    #[test]
    fn headers_are_decoded_and_never_printed() {
        let parsed = export("http://a", "Authorization=Basic%20c2VjcmV0, X-Team = docs", 0.5);
        let parsed = parsed.unwrap();
        let headers: Vec<_> = parsed
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
            .collect();
        assert_eq!(headers, [("authorization", "Basic c2VjcmV0"), ("x-team", "docs")]);
        assert!(!format!("{parsed:?}").contains("c2VjcmV0"));
        for headers in ["c2VjcmV0", "a=b,c2VjcmV0", "a=c2VjcmV0%0A"] {
            let error = format!("{:#}", export("http://a", headers, 1.0).unwrap_err());
            assert!(!error.contains("c2VjcmV0"), "{error}");
        }
    }

    #[test]
    fn the_ratio_is_between_0_and_1() {
        for ratio in [-0.1, 1.1, f64::NAN] {
            assert!(export("http://a", "", ratio).is_err(), "{ratio}");
        }
    }
}
