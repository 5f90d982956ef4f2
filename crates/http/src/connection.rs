//! The bytes of one connection. Two things happen here that the protocol's library leaves out: a
//! request that is hardly HTTP gets an answer with words in it, and whoever is refused before
//! all was read still gets to read the answer.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf as _, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use crate::{Body, Handler, Response};

/// How long a connection that is over goes on reading what nobody wants: closing it at once
/// would make the client's system throw the answer away.
const LINGER: Duration = Duration::from_secs(5);

/// Which exchanges of a connection have begun, and how many of them go on.
#[derive(Debug, Default)]
pub(crate) struct Exchanges {
    begun: AtomicU64,
    open: AtomicU64,
}

/// An exchange goes on until this is gone.
#[derive(Debug)]
pub(crate) struct Exchange(Arc<Exchanges>);

impl Exchanges {
    /// A request was read.
    pub(crate) fn begin(self: &Arc<Self>) -> Exchange {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.open.fetch_add(1, Ordering::Relaxed);
        Exchange(Arc::clone(self))
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// An answer's body, which ends its exchange.
pub(crate) struct Tracked {
    body: Body,
    _exchange: Exchange,
}

impl Tracked {
    pub(crate) fn answer(response: Response, exchange: Exchange) -> http::Response<Self> {
        response.map(|body| Self { body, _exchange: exchange })
    }
}

impl http_body::Body for Tracked {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<http_body::Frame<Bytes>>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}

/// The socket, as the protocol's library reads and writes it.
pub(crate) struct Connection<H> {
    stream: TcpStream,
    handler: Arc<H>,
    exchanges: Arc<Exchanges>,
    /// How many exchanges had begun when everything had last been sent and none was open. What is
    /// written while no other has begun can only be a refusal of the library's own.
    settled: u64,
    refusal: Option<Bytes>,
    refused: bool,
    closed: bool,
    linger: Option<Pin<Box<Sleep>>>,
}

impl<H: Handler> Connection<H> {
    pub(crate) fn new(stream: TcpStream, handler: Arc<H>, exchanges: Arc<Exchanges>) -> Self {
        Self {
            stream,
            handler,
            exchanges,
            settled: 0,
            refusal: None,
            refused: false,
            closed: false,
            linger: None,
        }
    }

    /// Takes the place of a refusal without words.
    fn refuse(&mut self, bare: &[u8]) -> bool {
        if self.refused || self.exchanges.begun.load(Ordering::Relaxed) != self.settled {
            return false;
        }
        self.refusal = reworded(bare, |status| self.handler.refuse(status));
        self.refused = self.refusal.is_some();
        self.refused
    }

    fn poll_refusal(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest) = &mut self.refusal {
            let sent = ready!(Pin::new(&mut self.stream).poll_write(cx, rest))?;
            rest.advance(sent);
            if rest.is_empty() || sent == 0 {
                self.refusal = None;
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Reads what still comes until the client closes, for a while.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut space = [0; 16 * 1024];
        loop {
            if let Some(linger) = &mut self.linger
                && linger.as_mut().poll(cx).is_ready()
            {
                return Poll::Ready(());
            }
            let mut rest = ReadBuf::new(&mut space);
            match Pin::new(&mut self.stream).poll_read(cx, &mut rest) {
                Poll::Ready(Ok(())) if !rest.filled().is_empty() => {}
                Poll::Ready(_) => return Poll::Ready(()),
                // Everything was read and answered: there is nothing to wait for.
                Poll::Pending if !self.refused && self.linger.is_none() => return Poll::Ready(()),
                Poll::Pending if self.linger.is_some() => return Poll::Pending,
                Poll::Pending => {}
            }
            self.linger.get_or_insert_with(|| Box::pin(tokio::time::sleep(LINGER)));
        }
    }
}

impl<H: Handler> AsyncRead for Connection<H> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(cx, buffer)
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
        ready!(this.poll_refusal(cx))?;
        Pin::new(&mut this.stream).poll_write(cx, bytes)
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
        ready!(this.poll_refusal(cx))?;
        Pin::new(&mut this.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_refusal(cx))?;
        if this.exchanges.open.load(Ordering::Relaxed) == 0 {
            this.settled = this.exchanges.begun.load(Ordering::Relaxed);
        }
        Pin::new(&mut this.stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_refusal(cx))?;
        if !this.closed {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
            this.closed = true;
        }
        this.poll_linger(cx).map(Ok)
    }
}

/// A refusal of the library's own (a head without a body) with our words in it; `None` for bytes
/// that are none.
fn reworded(bare: &[u8], words: impl FnOnce(u16) -> Response) -> Option<Bytes> {
    let head = std::str::from_utf8(bare).ok()?.strip_suffix("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?;
    let code = status.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok()?;
    let (parts, body) = words(code).into_parts();
    let Body::Full(body) = body else { return None };
    let body = body.unwrap_or_default();
    let mut told = BytesMut::from(status);
    for line in lines.filter(|line| !line.starts_with("content-length:")) {
        told.extend_from_slice(b"\r\n");
        told.extend_from_slice(line.as_bytes());
    }
    for (name, value) in &parts.headers {
        told.extend_from_slice(b"\r\n");
        told.extend_from_slice(name.as_str().as_bytes());
        told.extend_from_slice(b": ");
        told.extend_from_slice(value.as_bytes());
    }
    told.extend_from_slice(format!("\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes());
    told.extend_from_slice(&body);
    Some(told.freeze())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_bare_refusal_gets_words() {
        let words = |_| {
            let mut response = Response::new(Body::from("why"));
            response.headers_mut().insert("x-why", http::HeaderValue::from_static("because"));
            response
        };
        let bare = b"HTTP/1.1 431 Too Large\r\ncontent-length: 0\r\ndate: today\r\n\r\n";
        let told = reworded(bare, words).unwrap();
        let expect = "HTTP/1.1 431 Too Large\r\ndate: today\r\nx-why: because\r\ncontent-length: 3\r\n\r\nwhy";
        assert_eq!(std::str::from_utf8(&told).unwrap(), expect);
        for other in ["", "HTTP/1.1 100 Continue", "HTTP/1.1 x\r\n\r\n", "text\r\n\r\n"] {
            assert_eq!(reworded(other.as_bytes(), words), None, "{other}");
        }
    }
}
