//! The HTTP interface: every request runs `git http-backend` as a CGI program (RFC 3875).

use std::convert::Infallible;
use std::pin::Pin;
use std::process::Stdio;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::mpsc;

use super::large_files::LargeFiles;
use super::{Fault, ReceivedRequest, Settings, Shared};

type Body = BoxBody<Bytes, std::io::Error>;

pub(super) async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((socket, _)) = listener.accept().await {
        let shared = shared.clone();
        tokio::spawn(async move {
            let answer = service_fn(|request| {
                let shared = shared.clone();
                async move { Ok::<_, Infallible>(answer(&shared, request).await) }
            });
            // A client that disconnects is not a failure of the server.
            drop(
                hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(socket), answer)
                    .await,
            );
        });
    }
}

async fn answer(shared: &Shared, request: Request<Incoming>) -> Response<Body> {
    let text = |name| request.headers().get(name).and_then(|v| v.to_str().ok()).map(str::to_owned);
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let authorization = text(header::AUTHORIZATION);
    let Settings { fault, login, .. } = shared.settings().clone();
    shared.lock_requests().push(ReceivedRequest {
        method: request.method().to_string(),
        path: path.clone(),
        authorization: authorization.clone(),
        accept_encoding: text(header::ACCEPT_ENCODING),
    });
    if let Some((user, password)) = login
        && authorization.as_deref() != Some(&basic(&user, &password))
    {
        return plain(StatusCode::UNAUTHORIZED, &[(header::WWW_AUTHENTICATE, "Basic")], "");
    }
    match &fault {
        Fault::Status(status) => {
            let status = StatusCode::from_u16(*status).expect("a status");
            return plain(status, &[], "");
        }
        Fault::RedirectTo(base) => {
            let to = format!("{base}{path}");
            return plain(StatusCode::MOVED_PERMANENTLY, &[(header::LOCATION, &to)], "");
        }
        Fault::WebPage => {
            let html = [(header::CONTENT_TYPE, "text/html")];
            return plain(StatusCode::OK, &html, "<!doctype html><title>Docs</title>");
        }
        Fault::Garbage if request.method() == "POST" => {
            let result = [(header::CONTENT_TYPE, "application/x-git-upload-pack-result")];
            return plain(StatusCode::OK, &result, "000dpackfile\n0011\u{1}PACKnonsense0000");
        }
        Fault::Advertise(body) if request.method() == "GET" => {
            let kind = "application/x-git-upload-pack-advertisement";
            return full_response(kind, body.clone());
        }
        _ => {}
    }
    if LargeFiles::serves(&path) {
        return large_file(shared, request).await;
    }
    run(shared, fault, request).await
}

async fn large_file(shared: &Shared, request: Request<Incoming>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let host = head.headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let (host, asked) = (host.unwrap_or_default(), (&head.method, head.uri.path()));
    let answer = shared.settings().large_files.answer(host, asked, &head.headers, body);
    let (status, kind, body) = answer;
    let mut response = full_response(kind, body);
    *response.status_mut() = status;
    response
}

fn basic(user: &str, password: &str) -> String {
    let pair = format!("{user}:{password}");
    format!("Basic {}", data_encoding::BASE64.encode(pair.as_bytes()))
}

fn plain(
    status: StatusCode,
    headers: &[(header::HeaderName, &str)],
    body: &'static str,
) -> Response<Body> {
    let body = Full::new(Bytes::from_static(body.as_bytes())).map_err(|never| match never {});
    let mut response = Response::new(BoxBody::new(body));
    *response.status_mut() = status;
    for (name, value) in headers {
        response.headers_mut().insert(name, value.parse().expect("a header"));
    }
    response
}

fn full_response(kind: &'static str, body: Bytes) -> Response<Body> {
    let mut response = Response::new(BoxBody::new(Full::new(body).map_err(|never| match never {})));
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
    response
}

/// Returns the packets of a version 2 response with a pack.
fn in_packets(pack: &[u8]) -> Bytes {
    let mut body = b"000dpackfile\n".to_vec();
    for piece in pack.chunks(65_000) {
        body.extend_from_slice(format!("{:04x}\u{1}", piece.len() + 5).as_bytes());
        body.extend_from_slice(piece);
    }
    body.extend_from_slice(b"0000");
    body.into()
}

async fn run(shared: &Shared, fault: Fault, request: Request<Incoming>) -> Response<Body> {
    let mut command = Command::from(super::git());
    command
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", &shared.root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", request.uri().path())
        .env("QUERY_STRING", request.uri().query().unwrap_or_default())
        .env("REQUEST_METHOD", request.method().as_str())
        .env("REMOTE_ADDR", "127.0.0.1")
        .env("SERVER_PROTOCOL", "HTTP/1.1");
    for (name, variable) in [
        ("content-type", "CONTENT_TYPE"),
        ("content-encoding", "HTTP_CONTENT_ENCODING"),
        ("git-protocol", "GIT_PROTOCOL"),
    ] {
        let value = request.headers().get(name).and_then(|value| value.to_str().ok());
        if let Some(value) = value.filter(|_| name != "git-protocol" || fault != Fault::VersionZero)
        {
            command.env(variable, value);
        }
    }
    let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    // In version 2, refs are also requested by POST; only requests for packs shall fail.
    let is_pack = body.windows(5).any(|window| window == b"want ");
    if let (true, Fault::Pack(pack)) = (is_pack, &fault) {
        return full_response("application/x-git-upload-pack-result", in_packets(pack));
    }
    if let (true, Fault::Answer(body)) = (is_pack, &fault) {
        return full_response("application/x-git-upload-pack-result", body.clone());
    }
    let mut child = command
        .env("CONTENT_LENGTH", body.len().to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("git http-backend");
    let mut input = child.stdin.take().expect("its input");
    tokio::spawn(async move {
        // The program may stop reading before the end of the body.
        drop(input.write_all(&body).await);
    });
    let output = BufReader::with_capacity(64 << 10, child.stdout.take().expect("its output"));
    let limit = match fault {
        Fault::CutAfter(bytes) if is_pack => Some(BodyFault::Cut(bytes)),
        Fault::StallAfter(bytes) if is_pack => Some(BodyFault::Stall(bytes)),
        Fault::Drip(bytes, pause) => Some(BodyFault::Drip(bytes, pause)),
        _ => None,
    };
    relay(child, output, limit).await
}

/// A failure while a response is sent.
#[derive(Clone, Copy)]
enum BodyFault {
    Cut(usize),
    Stall(usize),
    Drip(usize, Duration),
}

async fn relay(
    child: Child,
    mut output: BufReader<ChildStdout>,
    limit: Option<BodyFault>,
) -> Response<Body> {
    let mut response = Response::new(BoxBody::new(Empty::new().map_err(|never| match never {})));
    let mut line = String::new();
    while output.read_line(&mut line).await.is_ok_and(|read| read > 0) {
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        if name.eq_ignore_ascii_case("status") {
            let status = value.split(' ').next().unwrap_or_default();
            *response.status_mut() = status.parse().expect("a status of git http-backend");
        } else {
            let name: header::HeaderName = name.parse().expect("a header of git http-backend");
            response.headers_mut().insert(name, value.parse().expect("a header"));
        }
        line.clear();
    }
    let (pieces, body) = mpsc::channel(4);
    tokio::spawn(pump(child, output, pieces, limit));
    *response.body_mut() = BoxBody::new(ChannelBody(body));
    response
}

/// A body whose chunks come from another task. An error closes the connection.
struct ChannelBody(mpsc::Receiver<std::io::Result<Bytes>>);

impl hyper::body::Body for ChannelBody {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<std::io::Result<Frame<Bytes>>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}

async fn pump(
    mut child: Child,
    mut output: BufReader<ChildStdout>,
    pieces: mpsc::Sender<Result<Bytes, std::io::Error>>,
    limit: Option<BodyFault>,
) {
    let mut sent = 0;
    loop {
        let size = match limit {
            Some(BodyFault::Drip(bytes, pause)) => {
                tokio::time::sleep(pause).await;
                bytes
            }
            _ => 64 << 10,
        };
        let mut piece = vec![0; size];
        let Ok(read @ 1..) = output.read(&mut piece).await else {
            break;
        };
        piece.truncate(read);
        if let Some(BodyFault::Cut(most) | BodyFault::Stall(most)) = limit
            && sent + read > most
        {
            piece.truncate(most - sent);
            drop(pieces.send(Ok(piece.into())).await);
            if matches!(limit, Some(BodyFault::Stall(_))) {
                pieces.closed().await;
            } else {
                drop(pieces.send(Err(std::io::ErrorKind::ConnectionAborted.into())).await);
            }
            return;
        }
        sent += read;
        if pieces.send(Ok(piece.into())).await.is_err() {
            return;
        }
    }
    drop(child.wait().await);
}
