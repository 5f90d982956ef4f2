//! A blocking interface to the client, for threads that may wait: jobs read Git packs from an
//! ordinary `Read`.

use std::future::Future;
use std::io::{self, Read};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Instant;

use bytes::{Buf, Bytes};
use http::{HeaderMap, StatusCode};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;
use url::Url;

use crate::client::{Body, Client, Response, authority};
use crate::error::Error;
use crate::request::Request;

/// Maximum number of pieces of a body that wait for a slow reader.
const MAX_BUFFERED_PIECES: usize = 16;

/// The head of a response, with a body for blocking reads.
#[derive(Debug)]
pub struct BlockingResponse {
    /// The HTTP status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The address that answered, after redirects.
    pub url: Url,
    /// The body.
    pub body: BlockingBody,
}

/// A body as a reader. Its errors contain an [`Error`], see [`Error::within`].
#[derive(Debug)]
pub struct BlockingBody {
    /// An empty piece marks the end. A channel that closes without one means a broken connection.
    pieces: mpsc::Receiver<Result<Bytes, Error>>,
    ended: bool,
    host: String,
    current: Bytes,
    cancel: CancellationToken,
}

/// The runtime that drives connections on behalf of blocking threads.
#[derive(Debug)]
pub(crate) struct Background(Option<Runtime>);

impl Background {
    pub(crate) fn start() -> Result<Self, Error> {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("outbound")
            .enable_all()
            .build()
            .map(|runtime| Self(Some(runtime)))
            .map_err(|error| Error::Protocol {
                host: "the network".to_owned(),
                reason: format!("cannot start a thread: {error}"),
            })
    }

    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.0 {
            // Spans of the task are children of the caller's span.
            runtime.spawn(task.in_current_span());
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // An ordinary drop would block, which is not allowed on the threads of another runtime.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Client {
    /// Like [`Client::send`], for a thread that may wait. Cancelling ends the request, and also
    /// later reads of the body.
    ///
    /// # Errors
    /// Those of [`Client::send`], and [`Error::Cancelled`].
    pub fn send_blocking(
        &self,
        request: Request,
        cancel: &CancellationToken,
    ) -> Result<BlockingResponse, Error> {
        let (head, waiting) = oneshot::channel();
        let (pieces, body) = mpsc::channel(MAX_BUFFERED_PIECES);
        let client = self.clone();
        self.background()?.spawn(async move {
            // If the reader is dropped, the request and its connection are dropped too.
            let answer = tokio::select! {
                answer = client.send(request) => answer,
                () = pieces.closed() => return,
            };
            let answer = answer.map(|Response { status, headers, url, body }| {
                tokio::spawn(pump(body, pieces));
                (status, headers, url)
            });
            // If the receiver is gone, the reader's end is gone too, which ends the pump.
            drop(head.send(answer));
        });
        let stopped = || Error::Protocol {
            host: "the network".to_owned(),
            reason: "its thread has ended".to_owned(),
        };
        let answer = wait(waiting, cancel).ok_or(Error::Cancelled)?;
        let (status, headers, url) = answer.map_err(|_| stopped())??;
        let body = BlockingBody {
            pieces: body,
            ended: false,
            host: authority(&url),
            current: Bytes::new(),
            cancel: cancel.clone(),
        };
        Ok(BlockingResponse { status, headers, url, body })
    }
}

async fn pump(mut body: Body, pieces: mpsc::Sender<Result<Bytes, Error>>) {
    loop {
        let piece = tokio::select! {
            piece = body.filled_chunk() => piece.transpose(),
            () = pieces.closed() => return,
        };
        let piece = piece.unwrap_or(Ok(Bytes::new()));
        let last = piece.as_ref().map_or(true, Bytes::is_empty);
        if pieces.send(piece).await.is_err() || last {
            return;
        }
    }
}

impl Read for BlockingBody {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.current.is_empty() && !self.ended {
            let piece = wait(self.pieces.recv(), &self.cancel).ok_or(Error::Cancelled)?;
            self.current = piece.ok_or_else(|| Error::Cut { host: self.host.clone() })??;
            self.ended = self.current.is_empty();
        }
        let taken = into.len().min(self.current.len());
        self.current.copy_to_slice(into.get_mut(..taken).unwrap_or_default());
        Ok(taken)
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits on this thread for a future that other threads drive; `None` once it is cancelled. Unlike
/// a runtime's own `block_on` it may be called on any thread.
pub fn wait<F: Future>(future: F, cancel: &CancellationToken) -> Option<F::Output> {
    park_on(cancel.run_until_cancelled(future), None).flatten()
}

/// Like [`wait`], but until a deadline; `None` once it has passed.
pub fn wait_until<F: Future>(future: F, deadline: Instant) -> Option<F::Output> {
    park_on(future, Some(deadline))
}

fn park_on<F: Future>(future: F, deadline: Option<Instant>) -> Option<F::Output> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
            None => thread::park(),
            Some(left) if left.is_zero() => return None,
            Some(left) => thread::park_timeout(left),
        }
    }
}
