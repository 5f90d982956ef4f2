//! The server's log on standard error, as text or as JSON lines.

use std::fmt;
use std::io::IsTerminal as _;

use bindery_model::{Clock as _, Timestamp};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::span::Record;
use tracing::{Event, Subscriber};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, Registry};

use crate::clock::SystemClock;
use crate::traces::Traces;

/// The format of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    /// One line of text for each event.
    #[default]
    Text,
    /// One JSON object per line for each event.
    Json,
}

/// Starts to log to standard error, and to pass spans to their export. `BINDERY_LOG` sets the level
/// of the log.
pub(crate) fn start(format: LogFormat, traces: Option<&Traces>) {
    let log = tracing_subscriber::fmt::layer()
        .with_ansi(format == LogFormat::Text && std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Text => install(log, traces),
        LogFormat::Json => install(log.fmt_fields(JsonFields).event_format(JsonLines), traces),
    }
}

fn install(log: impl Layer<Registry> + Send + Sync, traces: Option<&Traces>) {
    let filter = EnvFilter::try_from_env("BINDERY_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    let registry = tracing_subscriber::registry();
    match traces {
        // The level applies to all spans, so that those below it cost nothing.
        None => registry.with(log).with(filter).init(),
        Some(traces) => registry.with(log.with_filter(filter)).with(traces.layer()).init(),
    }
}

/// Formats each event as one line with a JSON object.
struct JsonLines;

/// Formats the fields of a span as a JSON object.
struct JsonFields;

impl<'w> FormatFields<'w> for JsonFields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut found = Fields::default();
        fields.record(&mut found);
        write_json(&mut writer, &found.others)
    }

    fn add_fields(
        &self,
        current: &'w mut FormattedFields<Self>,
        fields: &Record<'_>,
    ) -> fmt::Result {
        let mut found = Fields { others: object(&current.fields), ..Fields::default() };
        fields.record(&mut found);
        current.fields.clear();
        write_json(&mut current.as_writer(), &found.others)
    }
}

/// Returns the JSON object that `JsonFields` wrote for a span.
fn object(formatted: &str) -> Map<String, Value> {
    serde_json::from_str(formatted).unwrap_or_default()
}

fn write_json(writer: &mut Writer<'_>, value: &impl Serialize) -> fmt::Result {
    writer.write_str(&serde_json::to_string(value).map_err(|_| fmt::Error)?)
}

impl<S> FormatEvent<S, JsonFields> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let metadata = event.metadata();
        let spans = context.event_scope().into_iter().flat_map(|scope| scope.from_root());
        let spans = spans.map(|span| {
            let extensions = span.extensions();
            let formatted = extensions.get::<FormattedFields<JsonFields>>();
            let mut fields = formatted.map(|fields| object(&fields.fields)).unwrap_or_default();
            fields.insert("name".to_owned(), span.name().into());
            fields
        });
        let line = Line {
            timestamp: SystemClock.now(),
            level: metadata.level().as_str(),
            target: metadata.target(),
            message: &fields.message,
            fields: &fields.others,
            spans: spans.collect(),
        };
        write_json(&mut writer, &line)?;
        writeln!(writer)
    }
}

/// The JSON object of an event.
#[derive(Serialize)]
struct Line<'a> {
    timestamp: Timestamp,
    level: &'a str,
    target: &'a str,
    message: &'a str,
    fields: &'a Map<String, Value>,
    /// The spans that contain the event, the outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    spans: Vec<Map<String, Value>>,
}

/// Collects the message and the other fields of an event.
#[derive(Default)]
struct Fields {
    message: String,
    others: Map<String, Value>,
}

impl Fields {
    fn insert(&mut self, field: &Field, value: impl Into<Value>) {
        self.others.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text = format!("{value:?}");
        if field.name() == "message" {
            self.message = text;
        } else {
            self.insert(field, text);
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            value.clone_into(&mut self.message);
        } else {
            self.insert(field, value);
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.insert(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.insert(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.insert(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.insert(field, value);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use serde_json::json;
    use tracing::field::Empty;

    use super::*;

    /// Collects the log in memory.
    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn each_event_is_one_json_object() {
        let buffer = Buffer::default();
        let writer = buffer.clone();
        let log = tracing_subscriber::fmt()
            .fmt_fields(JsonFields)
            .event_format(JsonLines)
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::with_default(log, || {
            let missing: Option<&str> = None;
            tracing::warn!(status = 404_u16, path = "/a\"b", missing, "two\nlines");
            let span = tracing::info_span!("request", status = 1, operation = Empty);
            span.record("operation", "getSpace");
            let _entered = span.enter();
            tracing::error!(error = %"broken", open = true, part = 0.5, "failed");
        });
        let text = String::from_utf8(buffer.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let [first, second] = &lines[..] else { panic!("{text}") };
        assert_eq!(first["level"], "WARN");
        assert_eq!(first["target"], module_path!());
        assert_eq!(first["message"], "two\nlines");
        assert_eq!(first["fields"], serde_json::json!({ "status": 404, "path": "/a\"b" }));
        assert!(Timestamp::parse(first["timestamp"].as_str().unwrap()).is_some(), "{first}");
        assert_eq!(second["message"], "failed");
        let fields = serde_json::json!({ "error": "broken", "open": true, "part": 0.5 });
        assert_eq!(second["fields"], fields);
        assert_eq!(first.get("spans"), None);
        let span = json!({ "name": "request", "status": 1, "operation": "getSpace" });
        assert_eq!(second["spans"], json!([span]));
    }
}
