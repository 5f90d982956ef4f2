//! Clients that do not read, or that send unwanted data: the server stays available with bounded
//! memory.

use std::cell::Cell;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use bindery_testkit::{Installation, SETUP_TOKEN, Server, archives};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;

use crate::support::content::publish;
use crate::support::{TestEnv, each_engine, each_engine_with, on_sqlite, parse, raw, send, until};

/// The time limit of a response during an attack. Without protection it takes minutes.
const TIMEOUT: Duration = Duration::from_secs(60);
const METRICS: &str = "metrics-token-of-a-test";

/// Raises the limit of open connections of this process for the attack.
fn open_many() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap();
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address().strip_prefix("http://").unwrap()).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream
}

/// Sends as many bytes as the server accepts without blocking.
fn push(stream: &mut TcpStream, bytes: &[u8]) {
    stream.set_nonblocking(true).unwrap();
    while stream.write(bytes).is_ok_and(|sent| sent > 0) {}
}

/// Returns the server's resident memory in kilobytes.
fn memory(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Waits until the server's memory stops growing, and returns it in kilobytes.
async fn settled_memory(server: &Server) -> u64 {
    let seen = Cell::new((0, 0));
    until(async || {
        let ((last, same), now) = (seen.get(), memory(server));
        let same = if now.abs_diff(last) < 1_024 { same + 1 } else { 0 };
        seen.set((now, same));
        (same >= 25).then_some(now)
    })
    .await
}

#[test]
fn readers_that_never_read_do_not_stop_the_server() {
    open_many();
    let configure = |installation: Installation| installation.descriptors(1_024);
    each_engine_with(configure, async |env: &mut TestEnv| {
        let server = env.server();
        let ahead = "GET /v1/docs HTTP/1.1\r\nHost: x\r\n\r\n".repeat(50);
        let mut unread = Vec::new();
        for number in 0..1_100 {
            let mut stream = connect(server);
            push(&mut stream, ahead.as_bytes());
            unread.push(stream);
            if number % 50 == 49 {
                let started = Instant::now();
                assert_eq!(raw(server, "GET", "/healthz", "", b"").status, 200);
                assert_eq!(env.ask("GET", "/v1/user", "", b"").status, 200);
                assert!(started.elapsed() < TIMEOUT, "{number}");
            }
        }
        for stream in &mut unread {
            push(stream, ahead.as_bytes());
        }
        for _ in 0..10 {
            assert_eq!(raw(server, "GET", "/healthz", "", b"").status, 200);
            assert_eq!(env.ask("GET", "/v1/user", "", b"").status, 200);
        }
        let descriptors = std::fs::read_dir(format!("/proc/{}/fd", server.process())).unwrap();
        assert!(descriptors.count() < 1_000);
    });
}

#[test]
fn too_few_descriptors_are_reported_at_start() {
    let installation =
        Installation::new(env!("CARGO_BIN_EXE_bindery"), bindery_testkit::Engine::Sqlite);
    let refused = installation.descriptors(128).try_start().unwrap_err();
    assert!(refused.log.contains("128 descriptors"), "{}", refused.log);
    assert!(refused.log.contains("ulimit -Hn"), "{}", refused.log);
}

/// Imports a file of this size into a published space and returns its path.
async fn published_file(env: &TestEnv, size: usize) -> String {
    let space = env.space("Files").await;
    let line = "a line of a file that is large enough to be kept as it is\n";
    let text = line.repeat(size / line.len() + 1);
    let zip =
        archives::zip(&[("README.md", "# Home\n"), (".gitbook/assets/big.bin", &text[..size])]);
    let job = env.import_archive(&space, "application/zip", zip).await;
    assert_eq!(job.text_at("/status"), "done", "{job}");
    let _site = publish(env, "Files", &space).await;
    let files = env.of_space("listFiles", &space).await.expect(200);
    let address = files.text_at("/items/0/downloadURL");
    let path = address.strip_prefix(env.server().address()).unwrap();
    path.split('?').next().unwrap().to_owned()
}

#[test]
fn unread_files_are_not_buffered() {
    open_many();
    each_engine(async |env: &mut TestEnv| {
        let path = published_file(env, 20 << 20).await;
        let server = env.server();
        let before = memory(server);
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
        let mut unread: Vec<TcpStream> = (0..300).map(|_| connect(server)).collect();
        for stream in &mut unread {
            stream.write_all(request.as_bytes()).unwrap();
        }
        for stream in &mut unread {
            let mut start = [0; 12];
            stream.read_exact(&mut start).unwrap();
            assert_eq!(&start, b"HTTP/1.1 200");
        }
        let held = settled_memory(server).await.saturating_sub(before);
        // Buffers of one megabyte per reader would take 300 MB.
        assert!(held < 150 << 10, "{held} kB for 300 readers");
        let whole = env.ask("GET", &path, "", b"");
        assert_eq!(whole.body.len(), 20 << 20);
    });
}

#[test]
fn connections_without_progress_are_closed() {
    let configured = tempfile::tempdir().unwrap();
    let file = configured.path().join("bindery.toml");
    std::fs::write(&file, "[limits]\ntransfer_seconds = 1\n").unwrap();
    let configure = |installation: Installation| {
        installation.argument("--config").argument(&file).variable("BINDERY_METRICS_TOKEN", METRICS)
    };
    each_engine_with(configure, async |env: &mut TestEnv| {
        let path = published_file(env, 20 << 20).await;
        let server = env.server();
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
        let mut unread: Vec<TcpStream> = (0..5).map(|_| connect(server)).collect();
        for stream in &mut unread {
            stream.write_all(request.as_bytes()).unwrap();
        }
        let ended = "bindery_http_connections_closed_total{reason=\"slow_transfer\"} 5";
        until(async || {
            let token = format!("Authorization: Bearer {METRICS}\r\n");
            let metrics = raw(server, "GET", "/metrics", &token, b"");
            metrics.text().lines().any(|line| line == ended).then_some(())
        })
        .await;
        drop(unread);
    });
}

#[test]
fn bodies_without_permission_are_not_read() {
    open_many();
    each_engine(async |env: &mut TestEnv| {
        let server = env.server();
        let size: usize = 60 << 20;
        let started = memory(server);
        let head = |path: &str, token: &str| {
            format!(
                "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
                 Content-Type: application/json\r\nContent-Length: {size}\r\n\r\n{{\"x\":\""
            )
        };
        let filler = vec![b'x'; 1 << 20];
        let mut held = Vec::new();
        for _ in 0..20 {
            let mut stream = connect(server);
            let path = "/v1/bindery/spaces/nowhere/content";
            stream.write_all(head(path, SETUP_TOKEN).as_bytes()).unwrap();
            push(&mut stream, &filler);
            held.push(stream);
        }
        for stream in &mut held {
            stream.set_nonblocking(false).unwrap();
            let mut start = [0; 12];
            stream.read_exact(&mut start).unwrap();
            // The request was rejected before its body, which never arrives.
            assert_eq!(&start, b"HTTP/1.1 404", "{}", String::from_utf8_lossy(&start));
        }
        // The body of an authorized caller is not buffered in memory while it arrives.
        let space = env.space("Bodies").await;
        for _ in 0..10 {
            let mut stream = connect(server);
            let path = format!("/v1/bindery/spaces/{space}/content");
            stream.write_all(head(&path, SETUP_TOKEN).as_bytes()).unwrap();
            for _ in 0..20 {
                stream.write_all(&filler).unwrap();
            }
            held.push(stream);
        }
        let grown = settled_memory(server).await.saturating_sub(started);
        assert!(grown < 150 << 10, "{grown} kB");
    });
}

#[test]
fn a_callers_bodies_have_a_quota() {
    let configured = tempfile::tempdir().unwrap();
    let file = configured.path().join("bindery.toml");
    std::fs::write(&file, "[limits]\nupload_bytes_per_caller = 1000000\n").unwrap();
    let configure = |installation: Installation| installation.argument("--config").argument(&file);
    each_engine_with(configure, async |env: &mut TestEnv| {
        let space = env.space("Quota").await;
        let change = |bytes: usize| {
            let text = "x".repeat(bytes);
            json!({ "changes": [{
                "operation": "insert_page", "title": "Page", "document": { "markdown": text },
            }] })
        };
        let update = async |bytes: usize| {
            let call = env.client.call("updateSpaceContent").path("spaceId", &space);
            call.json(&change(bytes)).send().await
        };
        let _made = update(900_000).await.expect(200);
        let refused = update(1_100_000).await.expect(429);
        assert!(refused.message().contains("1000000 bytes"), "{refused}");
        assert!(!refused.header("retry-after").is_empty(), "{refused}");
        // The rejected body no longer counts.
        let _made = update(900_000).await.expect(200);
    });
}

#[test]
fn ambiguous_request_lengths_are_rejected() {
    on_sqlite(async |env: &mut TestEnv| {
        let smuggled = "GET /v1/user HTTP/1.1\r\nHost: x\r\n\r\n";
        for request in [
            "POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /v1/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
            "GET /healthz HTTP/1.1\nHost: x\n\n",
            "GET /healthz HTTP/1.1\r\nHost: x\nX: y\r\n\r\n",
        ] {
            let answer = parse(&send(env.server(), format!("{request}{smuggled}").as_bytes()));
            let _message = answer.error(400);
            assert_eq!(answer.header("connection"), "close", "{request:?}");
        }
    });
}

#[test]
fn strict_transport_security_is_sent_over_tls() {
    let configure =
        |installation: Installation| installation.argument("--trusted-proxy").argument("127.0.0.1");
    each_engine_with(configure, async |env: &mut TestEnv| {
        for path in ["/healthz", "/v1/user", "/app/sign-in", "/nowhere"] {
            let told = |headers: &str| {
                let answer = raw(env.server(), "GET", path, headers, b"");
                answer.header("strict-transport-security").to_owned()
            };
            assert_eq!(told("X-Forwarded-Proto: https\r\n"), "max-age=31536000", "{path}");
            assert_eq!(told("X-Forwarded-Proto: http\r\n"), "", "{path}");
            assert_eq!(told(""), "", "{path}");
        }
    });
    let configure = |installation: Installation| {
        installation.variable("BINDERY_PUBLIC_URL", "https://docs.example.org")
    };
    each_engine_with(configure, async |env: &mut TestEnv| {
        let answer = raw(env.server(), "GET", "/healthz", "X-Forwarded-Proto: http\r\n", b"");
        assert_eq!(answer.header("strict-transport-security"), "max-age=31536000");
    });
}
