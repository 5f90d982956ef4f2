//! Export of traces to an OpenTelemetry collector.

use std::cell::Cell;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use bindery_testkit::{Installation, SETUP_TOKEN};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as AnyValue;
use opentelemetry_proto::tonic::common::v1::{AnyValue as Any, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use prost::Message as _;
use serde_json::json;

use crate::support::{TestEnv, each_engine_with, on_sqlite_with, raw, until};

/// The header of a caller's trace, and the ids in it.
const TRACEPARENT: &str =
    "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n";
const TRACE: u128 = 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c;
const PARENT: u64 = 0xb7ad_6b71_6920_3331;

/// A request that the collector received.
#[derive(Clone)]
struct Received {
    /// Request line and headers.
    head: String,
    body: Vec<u8>,
}

/// A collector that stores all requests and answers them with 200.
struct Collector {
    address: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let received = Arc::<Mutex<Vec<Received>>>::default();
        let requests = Arc::clone(&received);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                // A connection that ends early is not a request.
                if let Ok(request) = receive(stream) {
                    requests.lock().unwrap().push(request);
                }
            }
        });
        Self { address, received }
    }

    fn exports(&self) -> Vec<Received> {
        let received = self.received.lock().unwrap();
        let exports =
            received.iter().filter(|request| request.head.starts_with("POST /otlp/v1/traces "));
        exports.cloned().collect()
    }

    fn decoded(&self) -> Vec<ExportTraceServiceRequest> {
        let decode = |export: Received| ExportTraceServiceRequest::decode(export.body.as_slice());
        self.exports().into_iter().map(|export| decode(export).unwrap()).collect()
    }

    fn spans(&self) -> Vec<Span> {
        let resources = self.decoded().into_iter().flat_map(|export| export.resource_spans);
        let scopes = resources.flat_map(|resource| resource.scope_spans);
        scopes.flat_map(|scope| scope.spans).collect()
    }
}

fn receive(stream: TcpStream) -> std::io::Result<Received> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    reader.into_inner().write_all(answer)?;
    Ok(Received { head, body })
}

fn attribute(attributes: &[KeyValue], key: &str) -> Option<AnyValue> {
    let found = attributes.iter().find(|attribute| attribute.key == key)?;
    let Some(Any { value }) = &found.value else { return None };
    value.clone()
}

fn text(value: &str) -> Option<AnyValue> {
    Some(AnyValue::StringValue(value.to_owned()))
}

fn id(bytes: &[u8]) -> u64 {
    u64::from_be_bytes(bytes.try_into().unwrap())
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn spans_of_a_request_are_exported_within_the_trace_of_the_caller() {
    let collector = Collector::start();
    let configure = |installation: Installation| {
        installation
            .variable("BINDERY_OTLP_ENDPOINT", &format!("http://{}/otlp/", collector.address))
            .variable("BINDERY_OTLP_HEADERS", "X-Key=secret%20key")
            .variable("BINDERY_LOG", "info")
    };
    each_engine_with(configure, async |env: &mut TestEnv| {
        collector.received.lock().unwrap().clear();
        let path = format!("/v1/orgs/{}/spaces", env.organization);
        let body = json!({ "title": "Confidential" }).to_string();
        let headers = format!("Content-Type: application/json\r\n{TRACEPARENT}");
        let made = env.ask("POST", &path, &headers, body.as_bytes());
        assert_eq!(made.status, 201, "{}", made.text());
        let [request, transaction] = until(async || {
            let spans = collector.spans();
            let of_trace = || spans.iter().filter(|span| span.trace_id == TRACE.to_be_bytes());
            let request = of_trace().find(|span| span.name == "createSpace")?;
            let write = of_trace().find(|span| {
                attribute(&span.attributes, "bindery.transaction.kind") == text("write")
            })?;
            Some([request.clone(), write.clone()])
        })
        .await;

        assert_eq!(id(&request.parent_span_id), PARENT);
        assert_eq!(request.kind(), SpanKind::Server);
        let of_request = |key: &str| attribute(&request.attributes, key);
        assert_eq!(of_request("http.request.method"), text("POST"));
        assert_eq!(of_request("http.response.status_code"), Some(AnyValue::IntValue(201)));
        assert_eq!(of_request("bindery.operation"), text("createSpace"));
        assert_eq!(of_request("bindery.caller"), text("token"));
        assert_eq!(of_request("bindery.request_id"), text(made.header("x-request-id")));
        assert_eq!(transaction.parent_span_id, request.span_id);
        assert!(request.events.is_empty());

        for export in collector.decoded() {
            let resource = export.resource_spans[0].resource.as_ref().unwrap();
            let of_resource = |key: &str| attribute(&resource.attributes, key);
            assert_eq!(of_resource("service.name"), text("bindery"));
            assert_eq!(of_resource("service.version"), text(env!("CARGO_PKG_VERSION")));
        }
        for export in collector.exports() {
            assert!(
                export.head.to_lowercase().contains("x-key: secret key\r\n"),
                "{}",
                export.head
            );
            for secret in [SETUP_TOKEN, "Confidential", "127.0.0.1"] {
                assert!(!contains(&export.body, secret), "{secret}");
            }
        }
        assert!(!env.server().log().contains("secret key"));
    });
}

#[test]
fn outbound_requests_are_spans_of_their_job() {
    let collector = Collector::start();
    let configure = |installation: Installation| {
        installation
            .variable("BINDERY_OTLP_ENDPOINT", &format!("http://{}/otlp", collector.address))
    };
    on_sqlite_with(configure, async |env: &mut TestEnv| {
        let space = env.space("Docs").await;
        // The collector is not a Git server, so the import fails after its first request.
        let url = format!("http://{}/secret-path/docs.git", collector.address);
        let _failed = env.import(&space, &json!({ "url": url })).await;
        let [job, outbound] = until(async || {
            let spans = collector.spans();
            let job = spans.iter().find(|span| span.name == "job git-import")?;
            let outbound = spans.iter().find(|span| span.kind() == SpanKind::Client)?;
            Some([job.clone(), outbound.clone()])
        })
        .await;
        assert_eq!(outbound.trace_id, job.trace_id);
        assert_eq!(outbound.name, "GET");
        let of_outbound = |key: &str| attribute(&outbound.attributes, key);
        assert_eq!(of_outbound("http.request.method"), text("GET"));
        assert_eq!(of_outbound("http.response.status_code"), Some(AnyValue::IntValue(200)));
        assert_eq!(of_outbound("server.address"), text("127.0.0.1"));
        let port = collector.address.rsplit(':').next().unwrap().parse().unwrap();
        assert_eq!(of_outbound("server.port"), Some(AnyValue::IntValue(port)));
        assert_eq!(attribute(&job.attributes, "bindery.job.kind"), text("git-import"));
        // Exports are requests to the collector, too, but have no spans.
        let is_client = |span: &Span| span.kind() == SpanKind::Client;
        assert!(collector.spans().iter().all(|span| !is_client(span) || span.name == "GET"));
        for export in collector.exports() {
            assert!(!contains(&export.body, "secret-path"));
        }
    });
}

#[test]
fn the_last_spans_are_exported_at_the_end_of_the_server() {
    let collector = Collector::start();
    let configure = |installation: Installation| {
        installation
            .variable("BINDERY_OTLP_ENDPOINT", &format!("http://{}/otlp", collector.address))
    };
    on_sqlite_with(configure, async |env: &mut TestEnv| {
        let _space = env.space("Docs").await;
        // The server stops and starts again.
        env.with_store(async |_| ()).await;
        assert!(collector.spans().iter().any(|span| span.name == "createSpace"));
    });
}

#[test]
fn a_dead_collector_delays_no_request() {
    // The collector accepts connections but never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let configure = |installation: Installation| {
        let address = silent.local_addr().unwrap();
        installation.variable("BINDERY_OTLP_ENDPOINT", &format!("http://{address}"))
    };
    on_sqlite_with(configure, async |env: &mut TestEnv| {
        let started = Instant::now();
        let rounds = Cell::new(0);
        // Requests continue until the first export has failed, and more spans than the queue holds
        // are finished.
        until(async || {
            let before = Instant::now();
            for _ in 0..100 {
                assert_eq!(raw(env.server(), "GET", "/readyz", "", b"").status, 200);
            }
            assert!(before.elapsed().as_secs() < 60, "requests wait for the collector");
            rounds.set(rounds.get() + 1);
            let log = env.server().log();
            (rounds.get() >= 30 && log.contains("traces cannot be exported")).then_some(())
        })
        .await;
        let warnings = env.server().log().matches("traces cannot be exported").count();
        let minutes = usize::try_from(started.elapsed().as_secs() / 60).unwrap();
        assert!(warnings <= minutes + 1, "{}", env.server().log());
    });
}

#[test]
fn invalid_settings_are_refused_without_their_secrets() {
    let installation = |name: &str, value: &str| {
        Installation::new(env!("CARGO_BIN_EXE_bindery"), bindery_testkit::Engine::Sqlite)
            .variable("BINDERY_OTLP_ENDPOINT", "http://127.0.0.1:4318")
            .variable(name, value)
    };
    for (name, value, message) in [
        ("BINDERY_OTLP_ENDPOINT", "ftp://localhost", "must begin with http:// or https://"),
        ("BINDERY_OTLP_ENDPOINT", "http://a:hunter2@localhost", "--otlp-headers"),
        ("BINDERY_OTLP_HEADERS", "X-Key=a,hunter2", "header 2 is not of the form name=value"),
        ("BINDERY_OTLP_SAMPLE_RATIO", "1.5", "must be a number from 0 to 1"),
    ] {
        let log = installation(name, value).try_start().unwrap_err().log;
        assert!(log.contains(message), "{log}");
        assert!(!log.contains("hunter2"), "{log}");
    }
}
