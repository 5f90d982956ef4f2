//! Names of exported spans and attributes, after the semantic conventions of OpenTelemetry.

use std::time::Duration;

use http::Method;
use opentelemetry::trace::{SpanId, SpanKind, Status};
use opentelemetry::{Key, KeyValue, Value};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};

/// The attribute for the status of a response.
const STATUS: &str = "http.response.status_code";

/// The fields of the spans as the log names them, and the attributes that contain them.
const REQUEST: &[(&str, &str)] = &[
    ("operation", "bindery.operation"),
    ("request", "bindery.request_id"),
    ("caller", "bindery.caller"),
    ("status", STATUS),
];
const JOB: &[(&str, &str)] =
    &[("kind", "bindery.job.kind"), ("id", "bindery.job.id"), ("attempt", "bindery.job.attempt")];
const TRANSACTION: &[(&str, &str)] =
    &[("kind", "bindery.transaction.kind"), ("code", "code.function.name")];
const OUTBOUND: &[(&str, &str)] =
    &[("method", "http.request.method"), ("host", "server.address"), ("status", STATUS)];

/// Selects and renames spans before it passes them to another exporter.
#[derive(Debug)]
pub(super) struct Conventions<E>(E);

impl<E> Conventions<E> {
    pub(super) fn new(exporter: E) -> Self {
        Self(exporter)
    }
}

impl<E: SpanExporter> SpanExporter for Conventions<E> {
    async fn export(&self, mut batch: Vec<SpanData>) -> OTelSdkResult {
        batch.retain(|span| !is_background(span));
        if batch.is_empty() {
            return Ok(());
        }
        batch.iter_mut().for_each(rename);
        self.0.export(batch).await
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(timeout)
    }

    fn shutdown(&self) -> OTelSdkResult {
        self.0.shutdown()
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.0.set_resource(resource);
    }
}

/// Returns the method for an attribute. Methods that are not in the standard share a name, so that
/// clients cannot create any number of values.
pub(super) fn method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "_OTHER",
    }
}

/// Returns `true` if the span is a transaction outside of requests and jobs. The workers look for
/// jobs all the time, and each search would be a trace.
fn is_background(span: &SpanData) -> bool {
    span.name == "transaction" && span.parent_span_id == SpanId::INVALID
}

fn rename(span: &mut SpanData) {
    restore_numbers(span);
    match &*span.name {
        "request" => {
            span.span_kind = SpanKind::Server;
            if let Some(operation) = text(span, "operation") {
                span.name = operation.into();
            }
            fail_from(span, 500);
            rename_attributes(span, REQUEST);
        }
        "job" => {
            span.span_kind = SpanKind::Consumer;
            if let Some(kind) = text(span, "kind") {
                span.name = format!("job {kind}").into();
            }
            rename_attributes(span, JOB);
        }
        "transaction" => rename_attributes(span, TRANSACTION),
        "outbound request" => {
            span.span_kind = SpanKind::Client;
            if let Some(method) = text(span, "method") {
                span.name = method.into();
            }
            fail_from(span, 400);
            rename_attributes(span, OUTBOUND);
            divide_address(span);
        }
        _ => {}
    }
}

/// Returns the value of an attribute as text.
fn text(span: &SpanData, key: &str) -> Option<String> {
    let found = span.attributes.iter().find(|attribute| attribute.key.as_str() == key);
    found.map(|attribute| attribute.value.as_str().into_owned())
}

/// Marks a span as failed if its status is at least `lowest`.
fn fail_from(span: &mut SpanData, lowest: i64) {
    let failed = |attribute: &KeyValue| {
        attribute.key.as_str() == "status"
            && matches!(attribute.value, Value::I64(status) if status >= lowest)
    };
    if span.attributes.iter().any(failed) {
        span.status = Status::error("");
    }
}

/// Turns the numbers among the attributes back into numbers. `tracing-opentelemetry` stores those
/// without a sign as text.
fn restore_numbers(span: &mut SpanData) {
    for attribute in &mut span.attributes {
        if matches!(attribute.key.as_str(), "status" | "attempt")
            && let Ok(number) = attribute.value.as_str().parse::<i64>()
        {
            attribute.value = number.into();
        }
    }
}

fn rename_attributes(span: &mut SpanData, names: &[(&'static str, &'static str)]) {
    for attribute in &mut span.attributes {
        let new = names.iter().find(|(old, _)| *old == attribute.key.as_str());
        if let Some((_, new)) = new {
            attribute.key = Key::from_static_str(new);
        }
    }
}

/// Divides the address `host:port` into two attributes.
fn divide_address(span: &mut SpanData) {
    let is_address = |attribute: &&mut KeyValue| attribute.key.as_str() == "server.address";
    let Some(address) = span.attributes.iter_mut().find(is_address) else { return };
    let whole = address.value.as_str().into_owned();
    let divided = whole.rsplit_once(':').and_then(|(host, port)| {
        let is_host = !host.contains(':') || host.ends_with(']');
        is_host.then_some((host, port.parse::<u16>().ok()?))
    });
    if let Some((host, port)) = divided {
        address.value = host.to_owned().into();
        span.attributes.push(KeyValue::new("server.port", i64::from(port)));
    }
}
