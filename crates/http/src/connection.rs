//! The byte stream of one connection. It adds three things that the protocol library lacks: it
//! refuses requests with ambiguous framing, it gives the library's bare error responses a body, and
//! it lets a client read an error response that was sent before the whole request was read.

use std::io::{self, IoSlice, Read as _, Write as _};
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf as _, Bytes, BytesMut};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use crate::framing::{Framing, Violation};
use crate::limits::LONG_HEAD_BYTES;
use crate::registry::{ConnectionSlot, LongHead};
use crate::{Body, Handler, Response};

/// Time during which a finished connection keeps reading and discarding input. Closing at once
/// would make the client's system discard the response.
const LINGER_TIME: Duration = Duration::from_secs(5);
/// Maximum number of bytes per read, of heads and of bodies. Bytes that were read occupy memory
/// until they are used, and a client may send any number of requests ahead.
const HEAD_READ_BYTES: usize = 4 << 10;
const BODY_READ_BYTES: usize = 64 << 10;
/// Replaces input that breaks the framing. The protocol library rejects every request that contains
/// it.
const UNREADABLE: &[u8] = b"\0\r\n\r\n";

/// A request and its response; the exchange ends when the value is dropped.
#[derive(Debug)]
pub(crate) struct Exchange(Arc<ConnectionSlot>);

impl Exchange {
    /// Records that a request was read. Returns the number of requests that the client sent in one
    /// go.
    pub(crate) fn begin(slot: &Arc<ConnectionSlot>) -> (Self, u64) {
        let ahead = slot.progress().begin();
        (Self(Arc::clone(slot)), ahead)
    }

    pub(crate) fn slot(&self) -> &Arc<ConnectionSlot> {
        &self.0
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.0.progress().end();
    }
}

/// A response body that ends its exchange when it is dropped. A streamed body is polled for its
/// next piece when the previous ones have been written.
pub(crate) struct TrackedBody {
    body: Body,
    exchange: Exchange,
}

impl TrackedBody {
    pub(crate) fn answer(response: Response, exchange: Exchange) -> http::Response<Self> {
        if let Body::Full(Some(bytes)) = response.body() {
            exchange.slot().progress().hold(bytes.len() as u64);
        }
        response.map(|body| Self { body, exchange })
    }
}

impl http_body::Body for TrackedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<http_body::Frame<Bytes>>>> {
        let this = self.get_mut();
        let is_stream = matches!(this.body, Body::Stream(..));
        let progress = this.exchange.slot().progress();
        if is_stream {
            ready!(progress.poll_room(cx));
        }
        let frame = ready!(Pin::new(&mut this.body).poll_frame(cx));
        if is_stream && let Some(Ok(frame)) = &frame {
            progress.add_queued(frame.data_ref().map_or(0, Bytes::len));
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}

/// The socket as the protocol library reads and writes it.
pub(crate) struct Connection<H> {
    stream: Arc<TcpStream>,
    handler: Arc<H>,
    slot: Arc<ConnectionSlot>,
    framing: Framing,
    long_head: Option<LongHead>,
    /// Input that the library reads instead of the bytes that break the framing.
    unreadable: Option<&'static [u8]>,
    /// Number of exchanges begun when everything was last flushed with no exchange open. Output
    /// that is written before another exchange begins can only be an error response of the library.
    begun_at_flush: u64,
    refusal: Option<Bytes>,
    refused: bool,
    closed: bool,
    linger: Option<Pin<Box<Sleep>>>,
}

/// Reads from a socket. A read that does not fill the buffer clears the socket's readiness.
pub(crate) fn poll_receive(
    stream: &TcpStream,
    cx: &mut Context<'_>,
    space: &mut [u8],
) -> Poll<io::Result<usize>> {
    loop {
        ready!(stream.poll_read_ready(cx))?;
        let mut read = None;
        let outcome = stream.try_io(Interest::READABLE, || {
            let bytes = (&*SockRef::from(stream)).read(space)?;
            read = Some(bytes);
            if 0 < bytes && bytes < space.len() {
                Err(io::ErrorKind::WouldBlock.into())
            } else {
                Ok(())
            }
        });
        match (read, outcome) {
            (Some(bytes), _) => return Poll::Ready(Ok(bytes)),
            (None, Err(error)) if is_transient(&error) => {}
            (None, Err(error)) => return Poll::Ready(Err(error)),
            (None, Ok(())) => return Poll::Ready(Ok(0)),
        }
    }
}

/// Writes to a socket. A write of fewer bytes than given clears the socket's readiness.
pub(crate) fn poll_send(
    stream: &TcpStream,
    cx: &mut Context<'_>,
    parts: &[IoSlice<'_>],
) -> Poll<io::Result<usize>> {
    let requested: usize = parts.iter().map(|part| part.len()).sum();
    loop {
        ready!(stream.poll_write_ready(cx))?;
        let mut written = None;
        let outcome = stream.try_io(Interest::WRITABLE, || {
            let bytes = (&*SockRef::from(stream)).write_vectored(parts)?;
            written = Some(bytes);
            if 0 < bytes && bytes < requested {
                Err(io::ErrorKind::WouldBlock.into())
            } else {
                Ok(())
            }
        });
        match (written, outcome) {
            (Some(bytes), _) => return Poll::Ready(Ok(bytes)),
            (None, Err(error)) if is_transient(&error) => {}
            (None, Err(error)) => return Poll::Ready(Err(error)),
            (None, Ok(())) => return Poll::Ready(Ok(0)),
        }
    }
}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

impl<H: Handler> Connection<H> {
    pub(crate) fn new(stream: Arc<TcpStream>, handler: Arc<H>, slot: Arc<ConnectionSlot>) -> Self {
        Self {
            stream,
            handler,
            slot,
            framing: Framing::new(),
            long_head: None,
            unreadable: None,
            begun_at_flush: 0,
            refusal: None,
            refused: false,
            closed: false,
            linger: None,
        }
    }

    fn poll_received(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(rest) = &mut self.unreadable {
            let (now, later) = rest.split_at(rest.len().min(buffer.remaining()));
            buffer.put_slice(now);
            *rest = later;
            return Poll::Ready(Ok(()));
        }
        // The space is cleared for each read, so that is done once there is input.
        if self.stream.poll_read_ready(cx)?.is_pending() {
            self.slot.progress().read_is_pending();
            return Poll::Pending;
        }
        let most = if self.framing.is_in_head() { HEAD_READ_BYTES } else { BODY_READ_BYTES };
        let space = buffer.initialize_unfilled_to(most.min(buffer.remaining()));
        let progress = self.slot.progress();
        let Poll::Ready(read) = poll_receive(&self.stream, cx, space) else {
            progress.read_is_pending();
            return Poll::Pending;
        };
        let read = read?;
        let accepted = match self.framing.scan(space.get(..read).unwrap_or_default()) {
            Ok(()) => read,
            Err(Violation(offset)) => {
                self.unreadable = Some(UNREADABLE);
                offset
            }
        };
        progress.add_read(read, self.framing.is_in_head() && self.framing.head_bytes() > 0);
        buffer.advance(accepted);
        self.count_head()?;
        if accepted == 0 && read > 0 {
            return self.poll_received(cx, buffer);
        }
        Poll::Ready(Ok(()))
    }

    /// Counts an unfinished long head against the limit for all connections.
    fn count_head(&mut self) -> io::Result<()> {
        let bytes = self.framing.head_bytes();
        if !self.framing.is_in_head() || bytes <= LONG_HEAD_BYTES {
            self.long_head = None;
            return Ok(());
        }
        self.long_head = None;
        self.long_head = self.slot.long_head(bytes);
        match self.long_head {
            Some(_) => Ok(()),
            None => Err(io::Error::other("unfinished heads of all connections take too much")),
        }
    }

    /// Replaces a bare error response of the library by one with a body. Returns `true` if it did.
    fn refuse(&mut self, bare: &[u8]) -> bool {
        if self.refused || self.slot.progress().begun() != self.begun_at_flush {
            return false;
        }
        self.refusal = with_handler_body(bare, |status| self.handler.refuse(status));
        self.refused = self.refusal.is_some();
        self.refused
    }

    fn poll_sent(
        &mut self,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let sent = self.poll_refusal(cx).map(|done| done.map(|()| 0));
        let sent = match sent {
            Poll::Ready(Ok(_)) => poll_send(&self.stream, cx, parts),
            other => other,
        };
        let progress = self.slot.progress();
        match &sent {
            Poll::Ready(Ok(bytes)) => progress.add_written(*bytes),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => progress.write_is_pending(),
        }
        sent
    }

    fn poll_refusal(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest) = &mut self.refusal {
            let sent = ready!(poll_send(&self.stream, cx, &[IoSlice::new(rest)]))?;
            rest.advance(sent);
            if rest.is_empty() || sent == 0 {
                self.refusal = None;
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Discards further input until the client closes or the time is over.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut space = [0; 16 * 1024];
        loop {
            if let Some(linger) = &mut self.linger
                && linger.as_mut().poll(cx).is_ready()
            {
                return Poll::Ready(());
            }
            match poll_receive(&self.stream, cx, &mut space) {
                Poll::Ready(Ok(1..)) => {}
                Poll::Ready(_) => return Poll::Ready(()),
                // Everything was read and answered, so there is nothing to wait for.
                Poll::Pending if !self.refused && self.linger.is_none() => return Poll::Ready(()),
                Poll::Pending if self.linger.is_some() => return Poll::Pending,
                Poll::Pending => {}
            }
            self.linger.get_or_insert_with(|| Box::pin(tokio::time::sleep(LINGER_TIME)));
        }
    }
}

impl<H: Handler> AsyncRead for Connection<H> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.get_mut().poll_received(cx, buffer)
    }
}

impl<H: Handler> AsyncWrite for Connection<H> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.refuse(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        this.poll_sent(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if let Some(first) = parts.first()
            && this.refuse(first)
        {
            return Poll::Ready(Ok(first.len()));
        }
        this.poll_sent(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_refusal(cx))?;
        let progress = this.slot.progress();
        if !progress.is_open() {
            this.begun_at_flush = progress.begun();
        }
        progress.is_flushed();
        // The socket has no write buffer in this process.
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_refusal(cx))?;
        if !this.closed {
            this.closed = true;
            match SockRef::from(&*this.stream).shutdown(Shutdown::Write) {
                // The client closed first.
                Err(error) if error.kind() == io::ErrorKind::NotConnected => {}
                done => done?,
            }
        }
        this.poll_linger(cx).map(Ok)
    }
}

/// Adds the handler's body and headers to a bare error response of the library, which is a head
/// without a body; `None` if the bytes are no such response.
fn with_handler_body(bare: &[u8], respond: impl FnOnce(u16) -> Response) -> Option<Bytes> {
    let head = std::str::from_utf8(bare).ok()?.strip_suffix("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?;
    let code = status.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok()?;
    let (parts, body) = respond(code).into_parts();
    let Body::Full(body) = body else { return None };
    let body = body.unwrap_or_default();
    let mut response = BytesMut::from(status);
    for line in lines.filter(|line| !line.starts_with("content-length:")) {
        response.extend_from_slice(b"\r\n");
        response.extend_from_slice(line.as_bytes());
    }
    for (name, value) in &parts.headers {
        response.extend_from_slice(b"\r\n");
        response.extend_from_slice(name.as_str().as_bytes());
        response.extend_from_slice(b": ");
        response.extend_from_slice(value.as_bytes());
    }
    response.extend_from_slice(format!("\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes());
    response.extend_from_slice(&body);
    Some(response.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bare_error_responses_get_a_body() {
        let respond = |_| {
            let mut response = Response::new(Body::from("why"));
            response.headers_mut().insert("x-why", http::HeaderValue::from_static("because"));
            response
        };
        let bare = b"HTTP/1.1 431 Too Large\r\ncontent-length: 0\r\ndate: today\r\n\r\n";
        let response = with_handler_body(bare, respond).unwrap();
        let expect = "HTTP/1.1 431 Too Large\r\ndate: today\r\nx-why: because\r\ncontent-length: 3\r\n\r\nwhy";
        assert_eq!(std::str::from_utf8(&response).unwrap(), expect);
        for other in ["", "HTTP/1.1 100 Continue", "HTTP/1.1 x\r\n\r\n", "text\r\n\r\n"] {
            assert_eq!(with_handler_body(other.as_bytes(), respond), None, "{other}");
        }
    }
}
