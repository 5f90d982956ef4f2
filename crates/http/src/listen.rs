//! Accepts connections, answers their requests, and shuts down gracefully.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::request::Parts;
use http::{HeaderValue, Method, StatusCode, Version, header};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use socket2::SockRef;
use tokio::io::Interest;
use tokio::net::{TcpListener, TcpStream};

use crate::connection::{Connection, Exchange, TrackedBody};
use crate::limits::ListenLimits;
use crate::metrics::ConnectionMetrics;
use crate::progress::{CloseReason, Waiting};
use crate::proxies::TrustedProxies;
use crate::registry::{ConnectionSlot, Registry};
use crate::upgrade::Upgrade;
use crate::{Request, RequestBody, Response};

/// The other end of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Peer(pub SocketAddr);

/// Response extension that marks a caller whose credentials were accepted. When there are too many
/// connections, those of such callers are closed last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SignedIn;

/// Answers requests.
pub trait Handler: Send + Sync + 'static {
    /// Answers one request.
    fn handle(&self, request: Request, peer: Peer) -> impl Future<Output = Response> + Send;

    /// Returns `true` if a request is answered even if all connection slots are taken, such as a
    /// health check or a request with credentials.
    fn is_urgent(&self, head: &Parts) -> bool;

    /// Returns the response to an unreadable request (400, 414 for a long request target, 431 for
    /// long headers), or to a request for which there is no connection slot (503). The body must
    /// not be a stream.
    fn refuse(&self, status: u16) -> Response;
}

/// Maximum size of a request's header fields in bytes.
const MAX_HEADER_BYTES: usize = 400 << 10;
/// Maximum number of unsent bytes of a response in the socket's buffer.
const UNSENT_BYTES: u32 = 128 << 10;
/// Maximum time that `accept` waits for a file descriptor.
const DESCRIPTOR_WAIT: Duration = Duration::from_millis(50);

/// Serves until `shutdown` resolves, then waits for the open requests.
pub async fn serve<H: Handler>(
    listener: TcpListener,
    handler: Arc<H>,
    limits: ListenLimits,
    proxies: TrustedProxies,
    metrics: Arc<ConnectionMetrics>,
    shutdown: impl Future<Output = ()>,
) {
    prepare(&listener);
    let registry = Registry::new(limits, proxies, metrics);
    let watch = tokio::spawn(Arc::clone(&registry).watch());
    let graceful = GracefulShutdown::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            accepted = accept(&listener, &registry) => accepted,
        };
        if let Some((stream, peer, slot)) = accepted {
            let watcher = graceful.watcher();
            tokio::spawn(serve_connection(
                stream,
                peer,
                Arc::new(slot),
                Arc::clone(&handler),
                watcher,
            ));
        }
    }
    drop(listener);
    if tokio::time::timeout(limits.drain, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests were still open after {:?}; closing them", limits.drain);
    }
    watch.abort();
}

/// Sets socket options that accepted connections inherit.
fn prepare(listener: &TcpListener) {
    let socket = SockRef::from(listener);
    // Small responses are sent without waiting for more data.
    let mut outcome = socket.set_tcp_nodelay(true);
    #[cfg(target_os = "linux")]
    {
        outcome = outcome.and(socket.set_tcp_notsent_lowat(UNSENT_BYTES));
    }
    if let Err(error) = outcome {
        tracing::warn!(%error, "could not set the options of the listening socket");
    }
}

/// Answers the requests of one connection.
async fn serve_connection<H: Handler>(
    stream: TcpStream,
    peer: Peer,
    slot: Arc<ConnectionSlot>,
    handler: Arc<H>,
    watcher: Watcher,
) {
    let stream = Arc::new(stream);
    let head = slot.limits().head;
    let io = Connection::new(Arc::clone(&stream), Arc::clone(&handler), Arc::clone(&slot));
    let exchanges = Arc::clone(&slot);
    let served = Arc::clone(&stream);
    let service = service_fn(move |request| {
        let (exchange, ahead) = Exchange::begin(&exchanges);
        let (handler, stream) = (Arc::clone(&handler), Arc::clone(&served));
        async move {
            if ahead > 1 {
                wait_for_turn(exchange.slot()).await;
            }
            let answer = answer_request(&*handler, request, peer, (&stream, exchange.slot())).await;
            Ok::<_, std::convert::Infallible>(TrackedBody::answer(answer, exchange))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        // A client that closes its sending side after the request still gets the response.
        .half_close(true)
        .serve_connection(TokioIo::new(io), service);
    tokio::select! {
        biased;
        // Errors of a connection are the client's and are not logged.
        _ended = watcher.watch(connection) => {}
        () = slot.progress().wait_for_close() => {
            if slot.progress().waiting() == Waiting::ForReader {
                // An unread response is discarded.
                let _best_effort = stream.set_zero_linger();
            }
        }
        () = reset(&stream, &slot) => slot.progress().close(CloseReason::Reset),
    }
}

/// Delays a pipelined request until the previous responses were written and other connections had
/// their turn.
async fn wait_for_turn(slot: &ConnectionSlot) {
    std::future::poll_fn(|cx| slot.progress().poll_written(cx)).await;
    tokio::task::yield_now().await;
}

/// Resolves when the client has reset the connection while no request that may change something is
/// in progress. A client that closed only its sending side may still read.
async fn reset(stream: &TcpStream, slot: &ConnectionSlot) {
    let known = stream.ready(Interest::ERROR).await.is_ok();
    if !known || slot.progress().is_changing() {
        std::future::pending::<()>().await;
    }
}

/// Answers one request.
async fn answer_request(
    handler: &impl Handler,
    request: http::Request<hyper::body::Incoming>,
    peer: Peer,
    (stream, slot): (&Arc<TcpStream>, &Arc<ConnectionSlot>),
) -> Response {
    let (mut parts, body) = request.into_parts();
    Upgrade::offer(&mut parts, stream, slot);
    let (body, rest) = RequestBody::new(body, Arc::clone(slot.progress()));
    let waits = parts.headers.contains_key(header::EXPECT);
    let refused = head_refusal(&parts).or_else(|| {
        let is_crowded = slot.is_spare() && !handler.is_urgent(&parts);
        is_crowded.then(|| {
            slot.refused();
            503
        })
    });
    let mut answer = match refused {
        None => {
            let reads = matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS);
            slot.progress().set_changing(!reads);
            let answer = handler.handle(Request::from_parts(parts, body), peer).await;
            slot.progress().set_changing(false);
            answer
        }
        Some(status) => {
            drop(body);
            let mut answer = handler.refuse(status);
            if status == 503 {
                answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
            }
            answer
        }
    };
    if answer.extensions().get::<SignedIn>().is_some() {
        slot.progress().set_signed_in();
    }
    if answer.status() == StatusCode::SWITCHING_PROTOCOLS {
        return answer;
    }
    let ends = refused.is_some() || slot.is_spare() || slot.progress().has_slow_body();
    if ends || !rest.reached_end(waits).await {
        // Otherwise the client would send its next request on a connection that is about to close.
        answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    answer
}

/// Returns the status with which a request is refused for its head; `None` if the head is
/// acceptable.
fn head_refusal(parts: &Parts) -> Option<u16> {
    let mut hosts = parts.headers.get_all(header::HOST).iter();
    let has_host = hosts.next().is_some() || parts.version < Version::HTTP_11;
    let names_host = has_host && hosts.next().is_none();
    let size: usize =
        parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    // A head that arrived in one read may be longer than the library's limit.
    match (names_host, size) {
        (_, MAX_HEADER_BYTES..) => Some(431),
        // Without exactly one host the target site is ambiguous.
        (false, _) => Some(400),
        (true, _) => None,
    }
}

async fn accept(
    listener: &TcpListener,
    registry: &Arc<Registry>,
) -> Option<(TcpStream, Peer, ConnectionSlot)> {
    registry.wait_for_room().await;
    match listener.accept().await {
        Ok((stream, address)) => {
            let Some(slot) = registry.admit(address.ip()) else {
                let _best_effort = stream.set_zero_linger();
                return None;
            };
            Some((stream, Peer(address), slot))
        }
        Err(error) if is_of_one_client(&error) => None,
        Err(error) => {
            tracing::warn!(%error, "could not accept a connection");
            registry.make_room(DESCRIPTOR_WAIT).await;
            None
        }
    }
}

/// Returns `true` if an error of `accept` concerns only a client that has already disconnected.
fn is_of_one_client(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset)
}
