//! Accepts connections, answers their requests, and ends them in order at shutdown.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderValue, Version, header};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::connection::{Connection, Exchanges, Tracked};
use crate::{Request, RequestBody, Response};

/// Who is at the other end of the connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Peer(pub SocketAddr);

/// Answers requests.
pub trait Handler: Send + Sync + 'static {
    /// Answers one request.
    fn handle(&self, request: Request, peer: Peer) -> impl Future<Output = Response> + Send;

    /// The answer to bytes that are no request that could be read: 400, 414 for an address and
    /// 431 for headers that are too long. Its body is at hand, no stream.
    fn refuse(&self, status: u16) -> Response;
}

/// So many bytes of fields are too many in the head of a request.
const HEAD_BYTES: usize = 400 << 10;

/// Limits of the listener.
#[derive(Clone, Copy, Debug)]
pub struct ListenLimits {
    /// Connections open at once; more wait to be accepted.
    pub connections: usize,
    /// How long a client may take to send a request's head.
    pub head: Duration,
    /// How long open requests may take to end after shutdown began.
    pub drain: Duration,
}

impl Default for ListenLimits {
    fn default() -> Self {
        Self { connections: 16_384, head: Duration::from_secs(20), drain: Duration::from_secs(25) }
    }
}

/// Serves until `shutdown` resolves, then lets the open requests end.
pub async fn serve<H: Handler>(
    listener: TcpListener,
    handler: Arc<H>,
    limits: ListenLimits,
    shutdown: impl Future<Output = ()>,
) {
    let slots = Arc::new(Semaphore::new(limits.connections));
    let graceful = GracefulShutdown::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            accepted = accept(&listener, &slots) => accepted,
        };
        let Some((stream, peer, slot)) = accepted else { continue };
        let handler = Arc::clone(&handler);
        let exchanges = Arc::new(Exchanges::default());
        let stream = Connection::new(stream, Arc::clone(&handler), Arc::clone(&exchanges));
        let service = service_fn(move |request| {
            let (handler, exchange) = (Arc::clone(&handler), exchanges.begin());
            async move {
                let answer = exchange_of(&*handler, request, peer).await;
                Ok::<_, std::convert::Infallible>(Tracked::answer(answer, exchange))
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.head)
            // Who closes its side after the request still gets the answer.
            .half_close(true)
            .serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A connection that breaks is the client's affair.
            let _ended = connection.await;
            drop(slot);
        });
    }
    drop(listener);
    if tokio::time::timeout(limits.drain, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests were still open after {:?}; closing them", limits.drain);
    }
}

/// One request and its answer.
async fn exchange_of(
    handler: &impl Handler,
    request: http::Request<hyper::body::Incoming>,
    peer: Peer,
) -> Response {
    let (parts, body) = request.into_parts();
    let (body, rest) = RequestBody::new(body);
    let waits = parts.headers.contains_key(header::EXPECT);
    let mut hosts = parts.headers.get_all(header::HOST).iter();
    let has_host = hosts.next().is_some() || parts.version < Version::HTTP_11;
    let names_host = has_host && hosts.next().is_none();
    let size: usize =
        parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    // What came in one go was read even if it is more than a head may have.
    let refused = match (names_host, size) {
        (_, HEAD_BYTES..) => Some(431),
        // Which site is meant cannot be known, and proxies on the way may have read another one.
        (false, _) => Some(400),
        (true, _) => None,
    };
    let mut answer = match refused {
        None => handler.handle(Request::from_parts(parts, body), peer).await,
        Some(status) => {
            drop(body);
            handler.refuse(status)
        }
    };
    if refused.is_some() || !rest.reached_end(waits).await {
        // Else the client would send its next request to a connection that is about to close.
        answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    answer
}

async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> Option<(TcpStream, Peer, tokio::sync::OwnedSemaphorePermit)> {
    let slot = Arc::clone(slots).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, address)) => {
            // Small answers should not wait for more to send.
            let _best_effort = stream.set_nodelay(true);
            Some((stream, Peer(address), slot))
        }
        Err(error) => {
            tracing::warn!(%error, "could not accept a connection");
            // Out of file descriptors: give the open connections time to end.
            tokio::time::sleep(Duration::from_millis(50)).await;
            None
        }
    }
}
