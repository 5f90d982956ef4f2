use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::{Authorization, CancellationToken, Guard, Limits, Lookup, Phase, Refusal, Request};

/// A server that answers every connection with the same bytes and records the requests. `{port}` in
/// the answer is replaced by the server's own port.
struct FixedResponse {
    address: SocketAddr,
    requests: Arc<std::sync::Mutex<Vec<String>>>,
}

impl FixedResponse {
    fn with(answer: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let answer = answer.replace("{port}", &address.port().to_string());
        let requests = Arc::new(std::sync::Mutex::new(Vec::new()));
        let log = requests.clone();
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let mut socket = socket.unwrap();
                let (log, answer) = (log.clone(), answer.clone());
                std::thread::spawn(move || {
                    let mut request = vec![0; 4096];
                    let read = socket.read(&mut request).unwrap_or_default();
                    let requests = String::from_utf8_lossy(&request[..read]).into_owned();
                    log.lock().unwrap().push(requests);
                    drop(socket.write_all(answer.as_bytes()));
                    if !answer.ends_with("STALL") {
                        drop(socket.shutdown(std::net::Shutdown::Write));
                    }
                    // Reads until the client disconnects: closing with unread bytes would reset the
                    // connection.
                    drop(std::io::copy(&mut socket, &mut std::io::sink()));
                });
            }
        });
        Self { address, requests }
    }

    fn url(&self, host: &str) -> Url {
        Url::parse(&format!("http://{host}:{}/path?key=secret", self.address.port())).unwrap()
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// Resolves names to the listed addresses, one list per lookup; the last list is repeated.
struct Names(Vec<Vec<&'static str>>, AtomicUsize);

impl Lookup for Names {
    fn lookup(
        &self,
        _name: String,
    ) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send + '_>> {
        let turn = self.1.fetch_add(1, Ordering::SeqCst).min(self.0.len() - 1);
        let found = self.0[turn].iter().map(|text| text.parse().unwrap()).collect();
        Box::pin(std::future::ready(Ok(found)))
    }
}

fn limits() -> Limits {
    Limits {
        connect: Duration::from_secs(60),
        idle: Duration::from_secs(60),
        min_rate_bytes: 1000,
        min_rate_interval: Duration::from_secs(600),
        total: Duration::from_secs(600),
        body: 1000,
        redirects: 3,
    }
}

/// A client with a short idle timeout.
fn impatient_client(guard: &str) -> Client {
    let limits = Limits { idle: Duration::from_millis(300), ..limits() };
    Client::new(Guard::parse(guard).unwrap(), limits).unwrap()
}

fn client(guard: &str) -> Client {
    Client::new(Guard::parse(guard).unwrap(), limits()).unwrap()
}

fn named(guard: &str, answers: &[&[&'static str]]) -> Client {
    let names = Names(answers.iter().map(|list| list.to_vec()).collect(), AtomicUsize::new(0));
    Client::with_lookup(Guard::parse(guard).unwrap(), limits(), Arc::new(names)).unwrap()
}

async fn get(client: &Client, url: Url) -> Result<Bytes, Error> {
    client.send(Request::get(url)).await?.body.bytes().await
}

#[tokio::test]
async fn an_answer_arrives() {
    let server = FixedResponse::with("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello");
    assert_eq!(get(&client("127.0.0.1"), server.url("127.0.0.1")).await.unwrap(), "hello");
    assert!(server.requests()[0].starts_with("GET /path?key=secret HTTP/1.1\r\n"));
}

#[tokio::test]
async fn names_are_checked_after_resolution() {
    let server = FixedResponse::with("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    for addresses in [
        &["127.0.0.1"][..],
        &["10.0.0.1"],
        &["::ffff:127.0.0.1"],
        &["169.254.169.254"],
        // One forbidden address is enough, at any position.
        &["1.1.1.1", "127.0.0.1"],
        &["127.0.0.1", "1.1.1.1"],
    ] {
        let error = get(&named("", &[addresses]), server.url("docs.example")).await.unwrap_err();
        assert!(matches!(error, Error::Refused(Refusal::Resolved { .. })), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("docs.example") && !text.contains(addresses[0]), "{text}");
    }
    assert_eq!(server.requests().len(), 0);
    assert!(get(&named("127.0.0.1", &[&["127.0.0.1"]]), server.url("docs.example")).await.is_ok());
}

#[tokio::test]
async fn only_checked_addresses_are_connected_to() {
    let server =
        FixedResponse::with("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    // Permitted at first, forbidden from then on: the first request succeeds with one resolution,
    // the second is refused.
    let client = named("127.0.0.1", &[&["127.0.0.1"], &["127.0.0.2"]]);
    assert!(get(&client, server.url("docs.example")).await.is_ok());
    let error = get(&client, server.url("docs.example")).await.unwrap_err();
    assert!(matches!(error, Error::Refused(_)), "{error:?}");
}

#[tokio::test]
async fn redirects_are_checked_like_the_first_address() {
    for (to, expected) in [
        ("http://10.0.0.1/", "private"),
        ("http://[::1]:{port}/", "loopback"),
        ("//169.254.169.254/", "link-local"),
        ("http://localhost:{port}/", "too many times"),
        ("/again", "too many times"),
        ("file:///etc/passwd", "another scheme"),
        ("gopher://127.0.0.1/", "another scheme"),
        ("http://me:word@127.0.0.1/", "credentials"),
        ("http://", "invalid address"),
    ] {
        // The server closes the connection after each answer and announces it, so that the next
        // request is not sent on a connection that is about to close.
        let server = FixedResponse::with(&format!(
            "HTTP/1.1 302 Found\r\nconnection: close\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n"
        ));
        let error = get(&client("127.0.0.1"), server.url("127.0.0.1")).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains(expected) && !text.contains("secret"), "{to}: {text}");
    }
}

#[tokio::test]
async fn credentials_stay_with_their_origin() {
    let target = FixedResponse::with("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    let port = target.address.port();
    let server = FixedResponse::with(&format!(
        "HTTP/1.1 307 Away\r\nlocation: http://127.0.0.1:{port}/\r\ncontent-length: 0\r\n\r\n"
    ));
    let authorization = Authorization::new("Bearer hush");
    let request = Request::get(server.url("127.0.0.1")).authorization(authorization.clone());
    assert!(!format!("{request:?}").contains("hush"));
    client("127.0.0.1").send(request).await.unwrap();
    assert!(server.requests()[0].contains("authorization: Bearer hush"));
    assert!(!target.requests()[0].contains("hush"));
    // The body of a request also stays with its origin.
    let request = Request::post(server.url("127.0.0.1"), "body").authorization(authorization);
    let error = client("127.0.0.1").send(request).await.unwrap_err();
    assert!(error.to_string().contains("must not be sent anywhere else"), "{error}");
    assert_eq!(target.requests().len(), 1);
}

#[tokio::test]
async fn errors_contain_no_secrets() {
    let host = "127.0.0.1";
    for (answer, expected) in [
        ("HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n", "larger than 1000 bytes"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhel", "cut"),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n", "cut"),
        ("", "cut"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nSTALL", "stopped sending"),
        ("HTTP/1.1 200 OK\r\nx: STALL", "stopped sending"),
        ("SSH-2.0-OpenSSH\r\n", "failed"),
    ] {
        let server = FixedResponse::with(answer);
        let client =
            if expected == "stopped sending" { impatient_client(host) } else { client(host) };
        let error = get(&client, server.url(host)).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{answer:?}: {error}");
        assert!(error.contains(host) && !error.contains("secret"), "{error}");
    }
    let mut secure = FixedResponse::with("HTTP/1.1 400 Bad\r\n\r\n").url(host);
    secure.set_scheme("https").unwrap();
    let error = get(&client(host), secure).await.unwrap_err();
    assert!(matches!(error, Error::Tls { .. }), "{error:?}");
    // The port is bound, so that no other test gets it, but nothing listens on it.
    let taken = tokio::net::TcpSocket::new_v4().unwrap();
    taken.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let nobody = taken.local_addr().unwrap();
    let nobody = Url::parse(&format!("http://{nobody}/")).unwrap();
    let error = get(&client(host), nobody).await.unwrap_err();
    assert!(error.to_string().ends_with("the connection was refused"), "{error}");
    let endless = format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(5000));
    let error = get(&client(host), FixedResponse::with(&endless).url(host)).await.unwrap_err();
    assert_eq!(error, Error::TooLarge { host: error_host(&error), limit: 1000 });
}

fn error_host(error: &Error) -> String {
    match error {
        Error::TooLarge { host, .. } => host.clone(),
        _ => String::new(),
    }
}

#[tokio::test]
async fn the_whole_exchange_has_a_time_limit() {
    let server = FixedResponse::with("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nSTALL");
    let request = Request::get(server.url("127.0.0.1")).total(Duration::from_millis(50));
    let error = match client("127.0.0.1").send(request).await {
        Ok(response) => response.body.bytes().await.unwrap_err(),
        Err(error) => error,
    };
    assert!(matches!(error, Error::Timeout { phase: Phase::Total, .. }), "{error:?}");
}

#[test]
fn a_blocking_read_can_be_cancelled() {
    let cancel = CancellationToken::new();
    let server = FixedResponse::with("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello");
    let client = client("127.0.0.1");
    let get = |server: &FixedResponse| {
        client.send_blocking(Request::get(server.url("127.0.0.1")), &cancel)
    };
    let mut text = String::new();
    get(&server).unwrap().body.read_to_string(&mut text).unwrap();
    assert_eq!(text, "hello");
    let cut = FixedResponse::with("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello");
    let error = get(&cut).unwrap().body.read_to_string(&mut text).unwrap_err();
    assert!(matches!(Error::within(&error), Some(Error::Cut { .. })), "{error:?}");
    let stalled = FixedResponse::with("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nSTALL");
    let mut body = get(&stalled).unwrap().body;
    body.read_exact(&mut [0; 5]).unwrap();
    // The reader waits for bytes that never arrive; only the cancellation ends the wait.
    let (reading, error) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            reading.send(None).unwrap();
            reading.send(std::io::copy(&mut body, &mut std::io::sink()).err()).unwrap();
        });
        assert!(error.recv().unwrap().is_none());
        cancel.cancel();
    });
    let error = error.recv().unwrap().unwrap();
    assert_eq!(Error::within(&error), Some(&Error::Cancelled));
    assert_eq!(get(&server).unwrap_err(), Error::Cancelled);
}

#[tokio::test]
async fn a_client_may_be_dropped_inside_a_runtime() {
    let server = FixedResponse::with("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello");
    let client = client("127.0.0.1");
    let request = Request::get(server.url("127.0.0.1"));
    let answer = client.send_blocking(request, &CancellationToken::new()).unwrap();
    assert_eq!(answer.status, 200);
    drop(client);
    drop(answer);
}

/// Starts a server that sends these bytes one by one, some milliseconds apart.
fn slow_server(bytes: &'static str) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            std::thread::spawn(move || {
                drop(socket.read(&mut [0; 4096]));
                for byte in bytes.bytes() {
                    if socket.write_all(&[byte]).is_err() {
                        return;
                    }
                    std::thread::sleep(Duration::from_millis(5));
                }
            });
        }
    });
    Url::parse(&format!("http://{address}/")).unwrap()
}

fn client_with_rate(bytes: u64, idle: Duration) -> Client {
    let min_rate_interval = Duration::from_millis(100);
    let limits = Limits { min_rate_bytes: bytes, min_rate_interval, idle, ..limits() };
    Client::new(Guard::parse("127.0.0.1").unwrap(), limits).unwrap()
}

const SLOW_RESPONSE: &str = "HTTP/1.1 200 OK\r\ncontent-length: 400\r\n\r\n\
    ....................................................................................\
    ....................................................................................\
    ....................................................................................\
    ....................................................................................\
    ................................................................";

#[tokio::test]
async fn a_slow_body_times_out() {
    let error = get(&client_with_rate(1000, Duration::from_secs(60)), slow_server(SLOW_RESPONSE))
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Timeout { phase: Phase::Rate, .. }), "{error:?}");
    // A body that is slow, but above the minimum rate, arrives.
    let whole = get(&client_with_rate(1, Duration::from_secs(60)), slow_server(SLOW_RESPONSE))
        .await
        .unwrap();
    assert_eq!(whole.len(), 400);
}

#[tokio::test]
async fn a_slow_head_times_out() {
    let client = client_with_rate(1, Duration::from_millis(100));
    let error = get(&client, slow_server(SLOW_RESPONSE)).await.unwrap_err();
    assert!(matches!(error, Error::Timeout { phase: Phase::Read, .. }), "{error:?}");
}
