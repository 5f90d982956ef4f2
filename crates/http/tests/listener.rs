//! Tests of the listener over real sockets, with clients that do not read, send slowly, hold
//! connections, or frame their requests ambiguously.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bindery_http::{
    Body, ConnectionMetrics, Handler, ListenLimits, Peer, ReadBodyError, Request, Response,
    SignedIn, TrustedProxies, read_body, serve,
};
use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// Maximum time for a condition to hold, far more than it needs.
const PATIENCE: Duration = Duration::from_secs(60);
const PIECE: usize = 64 << 10;

#[derive(Default)]
struct Answers {
    /// Requests that were handled.
    handled: AtomicU64,
    /// Handlers that were dropped before they had an answer.
    dropped: Arc<AtomicU64>,
}

/// Increments a counter when it is dropped.
struct OnDrop(Arc<AtomicU64>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Handler for Answers {
    async fn handle(&self, request: Request, _: Peer) -> Response {
        self.handled.fetch_add(1, Ordering::SeqCst);
        let path = request.uri().path().to_owned();
        match path.as_str() {
            "/stream" => Response::new(Body::unfold(
                0,
                |number: u64| async move {
                    (number < 512).then(|| (Ok(Bytes::from(vec![b'x'; PIECE])), number + 1))
                },
                Some(512 * PIECE as u64),
            )),
            "/large" => Response::new(Body::from(vec![b'x'; 8 << 20])),
            "/never" => {
                let _dropped = OnDrop(Arc::clone(&self.dropped));
                std::future::pending().await
            }
            "/signed-in" => {
                let mut response = Response::new(Body::from("welcome"));
                response.extensions_mut().insert(SignedIn);
                response
            }
            _ => match read_body(request.into_body(), 1 << 20).await {
                Ok(body) => Response::new(Body::from(body)),
                Err(error) => {
                    let text = match error {
                        ReadBodyError::TooSlow => "too slow",
                        ReadBodyError::TooLarge => "too large",
                        ReadBodyError::Broken => "broken",
                    };
                    let mut response = Response::new(Body::from(text));
                    *response.status_mut() = StatusCode::BAD_REQUEST;
                    response
                }
            },
        }
    }

    fn is_urgent(&self, head: &Parts) -> bool {
        head.uri.path() == "/health"
    }

    fn refuse(&self, status: u16) -> Response {
        let mut response = Response::new(Body::from("refused"));
        *response.status_mut() = StatusCode::from_u16(status).unwrap();
        response
    }
}

/// A listener that is stopped when the value is dropped.
struct Listener {
    address: SocketAddr,
    answers: Arc<Answers>,
    metrics: Arc<ConnectionMetrics>,
    _runtime: tokio::runtime::Runtime,
    _stop: oneshot::Sender<()>,
}

/// Limits with which a client counts as slow after one second.
fn quick() -> ListenLimits {
    let second = Duration::from_secs(1);
    ListenLimits { head: second, transfer_time: second, ..ListenLimits::default() }
}

impl Listener {
    fn start(limits: ListenLimits) -> Self {
        Self::start_behind(limits, "")
    }

    fn start_behind(limits: ListenLimits, proxies: &str) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let (answers, metrics) = (Arc::<Answers>::default(), Arc::<ConnectionMetrics>::default());
        let (stop, stopped) = oneshot::channel();
        let (handler, counters) = (Arc::clone(&answers), Arc::clone(&metrics));
        let proxies = TrustedProxies::parse(proxies).unwrap();
        runtime.spawn(async move {
            let ended = async move { drop(stopped.await) };
            serve(listener, handler, limits, proxies, counters, ended).await;
        });
        Self { address, answers, metrics, _runtime: runtime, _stop: stop }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Opens a connection and sends a text.
    fn say(&self, text: &str) -> TcpStream {
        let mut stream = self.connect();
        // The server may close the connection before it has read everything.
        drop(stream.write_all(text.as_bytes()));
        stream
    }

    /// Sends a text and returns everything that the server sends until it closes.
    fn ask(&self, text: &str) -> String {
        let mut answer = Vec::new();
        drop(self.say(text).read_to_end(&mut answer));
        String::from_utf8(answer).unwrap()
    }

    /// Returns a counter or gauge by its name and labels.
    fn metric(&self, name: &str) -> u64 {
        let text = self.metrics.render();
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
    }

    fn closed(&self, reason: &str) -> u64 {
        self.metric(&format!("bindery_http_connections_closed_total{{reason=\"{reason}\"}}"))
    }

    fn open(&self) -> u64 {
        self.metric("bindery_http_connections")
    }
}

/// Waits until a condition holds.
#[track_caller]
fn until(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "it never happens: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Reads until the text has arrived.
#[track_caller]
fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let mut read = Vec::new();
    let mut space = [0; 4_096];
    loop {
        let bytes = stream.read(&mut space).unwrap();
        read.extend_from_slice(&space[..bytes]);
        let found = String::from_utf8_lossy(&read).contains(text);
        assert!(bytes > 0 || found, "{}", String::from_utf8_lossy(&read));
        if found {
            return String::from_utf8(read).unwrap();
        }
    }
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n")
}

fn last(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
}

const CHUNKED: &str = "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\
                       5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n";

#[test]
fn a_chunked_request_keeps_the_connection() {
    let listener = Listener::start(ListenLimits::default());
    let answers = listener.ask(&format!("{CHUNKED}{CHUNKED}{}", last("/echo")));
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 3, "{answers}");
    assert_eq!(answers.matches("hello world").count(), 2, "{answers}");
    assert_eq!(answers.matches("connection: close").count(), 1, "{answers}");
}

#[test]
fn ambiguous_framing_is_refused_and_ends_the_connection() {
    let listener = Listener::start(ListenLimits::default());
    let post = "POST /echo HTTP/1.1\r\nHost: x\r\n";
    for (number, request) in [
        format!("{post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        format!("{post}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
        format!("{post}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
        format!("{post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        "GET /echo HTTP/1.1\nHost: x\n\n".to_owned(),
        "GET /echo HTTP/1.1\r\nHost: x\n\r\n".to_owned(),
        "GET /echo HTTP/1.1\r\nHost: x\r\nX: y\nZ: a\r\n\r\n".to_owned(),
        "GET /echo HTTP/1.1\r\nHost: x\r\n\n".to_owned(),
        "\nGET /echo HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(),
    ]
    .into_iter()
    .enumerate()
    {
        // The request comes alone, and after other requests whose ends must be found.
        for before in [String::new(), get("/health"), CHUNKED.to_owned()] {
            let handled = listener.answers.handled.load(Ordering::SeqCst);
            let answers = listener.ask(&format!("{before}{request}{}", get("/smuggled")));
            let refused = answers.matches("HTTP/1.1 400").count();
            assert_eq!(refused, 1, "{number} {request:?}: {answers}");
            assert!(answers.ends_with("refused"), "{number} {request:?}: {answers}");
            let expected = handled + u64::from(!before.is_empty());
            assert_eq!(listener.answers.handled.load(Ordering::SeqCst), expected, "{request:?}");
        }
    }
    let answers = listener.ask(&CHUNKED.replace("6\r\n", "6\n"));
    assert!(answers.starts_with("HTTP/1.1 400") && answers.ends_with("broken"), "{answers}");
}

#[test]
fn a_client_that_never_reads_is_disconnected() {
    let listener = Listener::start(quick());
    let _unread: Vec<TcpStream> = (0..20).map(|_| listener.say(&get("/stream"))).collect();
    until("slow readers are ended", || listener.closed("slow_transfer") == 20);
    assert_eq!(listener.open(), 0);
}

#[test]
fn pipelined_requests_wait_for_unread_responses() {
    let limits = ListenLimits { transfer_rate: 0, ..ListenLimits::default() };
    let listener = Listener::start(limits);
    // Pending responses without a body would otherwise be held without a bound.
    let head = "HEAD /large HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100);
    let mut stream = listener.connect();
    stream.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
    let deadline = Instant::now() + PATIENCE;
    // When the server stops reading, the buffers of both ends fill up.
    while stream.write_all(head.as_bytes()).is_ok() {
        assert!(Instant::now() < deadline, "the server takes requests without end");
    }
    let other = listener.ask(&last("/echo"));
    assert!(other.starts_with("HTTP/1.1 200"), "{other}");
}

#[test]
fn a_slow_body_is_refused() {
    let listener = Listener::start(quick());
    let post = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nhel";
    let answer = listener.ask(post);
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.contains("connection: close") && answer.ends_with("too slow"), "{answer}");
}

#[test]
fn slow_heads_and_idle_connections_time_out() {
    let listener = Listener::start(quick());
    let mut idle = listener.say(&get("/echo"));
    let silent = listener.connect();
    let slow = listener.say("GET / HTTP/1.1\r\nHost");
    let _answer = read_until(&mut idle, "200 OK");
    for mut stream in [idle, silent, slow] {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).unwrap();
    }
    until("all are closed", || listener.open() == 0);
}

#[test]
fn long_heads_share_a_limit() {
    let long_heads = 1 << 20;
    let limits = ListenLimits { long_heads, ..ListenLimits::default() };
    let listener = Listener::start(limits);
    let head = format!("GET / HTTP/1.1\r\nHost: x\r\nX: {}", "x".repeat(128 << 10));
    let open: Vec<TcpStream> = (0..12).map(|_| listener.say(&head)).collect();
    until("the last ones are closed", || listener.open() <= 8);
    drop(open);
    until("all are closed", || listener.open() == 0);
    let answer = listener.ask(&format!("{head}\r\nConnection: close\r\n\r\n"));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn stuck_connections_of_an_address_make_room() {
    let limits = ListenLimits { connections_per_address: 8, ..ListenLimits::default() };
    let listener = Listener::start(limits);
    let mut signed_in = listener.say(&get("/signed-in"));
    let _answer = read_until(&mut signed_in, "welcome");
    let unread: Vec<TcpStream> = (0..40).map(|_| listener.say(&get("/stream"))).collect();
    for _ in 0..10 {
        let answer = listener.ask(&last("/health"));
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    until("the others are closed", || listener.open() <= 8);
    signed_in.write_all(last("/signed-in").as_bytes()).unwrap();
    let _answer = read_until(&mut signed_in, "welcome");
    drop(unread);
}

#[test]
fn trusted_proxies_have_no_limit_per_address() {
    let limits = ListenLimits { connections_per_address: 2, ..ListenLimits::default() };
    let listener = Listener::start_behind(limits, "127.0.0.1");
    let mut streams: Vec<TcpStream> = (0..20).map(|_| listener.say(&get("/echo"))).collect();
    for stream in &mut streams {
        let _answer = read_until(stream, "200 OK");
    }
    assert_eq!((listener.open(), listener.closed("evicted")), (20, 0));
}

#[test]
fn health_checks_are_answered_when_all_slots_are_busy() {
    let limits =
        ListenLimits { connections: 8, connections_per_address: 8, ..ListenLimits::default() };
    let listener = Listener::start_behind(limits, "127.0.0.1");
    let busy: Vec<TcpStream> = (0..8).map(|_| listener.say(&get("/never"))).collect();
    until("all are at work", || listener.answers.handled.load(Ordering::SeqCst) == 8);
    let answer = listener.ask(&last("/health"));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let answer = listener.ask(&get("/echo"));
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("retry-after: 5"), "{answer}");
    drop(busy);
}

#[test]
fn unread_responses_share_a_limit() {
    let limits =
        ListenLimits { unread_bytes: 64 << 20, transfer_time: Duration::from_secs(6), ..quick() };
    let limits = ListenLimits { transfer_rate: 0, ..limits };
    let listener = Listener::start(limits);
    let unread: Vec<TcpStream> = (0..16).map(|_| listener.say(&get("/large"))).collect();
    until("half of them is closed", || listener.closed("unread_answer") == 8);
    assert_eq!(listener.open(), 8);
    drop(unread);
}

#[test]
fn a_reset_drops_the_handler() {
    let listener = Listener::start(ListenLimits::default());
    let stream = listener.say(&get("/never"));
    until("it is handled", || listener.answers.handled.load(Ordering::SeqCst) == 1);
    socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO)).unwrap();
    drop(stream);
    until("the handler is dropped", || listener.answers.dropped.load(Ordering::SeqCst) == 1);
    until("the connection is counted", || listener.closed("reset") == 1);
    // A client that closed only its sending side still reads.
    let stream = listener.say(&last("/echo"));
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut stream = stream;
    let _answer = read_until(&mut stream, "200 OK");
}
