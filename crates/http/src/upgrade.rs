//! Connections that leave HTTP for another protocol, such as WebSocket.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use http::request::Parts;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::connection::{Exchange, poll_receive, poll_send};
use crate::registry::ConnectionSlot;

/// The right to take over the connection of a request, once the response with status 101 is sent.
#[derive(Clone)]
pub struct Upgrade(Arc<Mutex<Option<Pending>>>);

struct Pending {
    upgraded: hyper::upgrade::OnUpgrade,
    stream: Arc<TcpStream>,
    slot: Arc<ConnectionSlot>,
}

impl std::fmt::Debug for Upgrade {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Upgrade").finish_non_exhaustive()
    }
}

impl Upgrade {
    /// Adds the right to the request, if the client asks for another protocol.
    pub(crate) fn offer(parts: &mut Parts, stream: &Arc<TcpStream>, slot: &Arc<ConnectionSlot>) {
        if let Some(upgraded) = parts.extensions.remove::<hyper::upgrade::OnUpgrade>() {
            let (stream, slot) = (Arc::clone(stream), Arc::clone(slot));
            let pending = Pending { upgraded, stream, slot };
            parts.extensions.insert(Self(Arc::new(Mutex::new(Some(pending)))));
        }
    }

    /// Waits until the response is sent and returns the bytes of the connection. `None` if it was
    /// taken over before.
    pub async fn stream(self) -> Option<UpgradedStream> {
        let pending = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Pending { upgraded, stream, slot } = pending?;
        // The library leaves the connection when the response is sent, and says that this program
        // has to go on with it. Nothing is read ahead: a client waits for the response.
        let _left = upgraded.await;
        let (exchange, _) = Exchange::begin(&slot);
        Some(UpgradedStream { stream, exchange })
    }
}

/// The bytes of a connection that left HTTP. It counts as a connection with an open request.
pub struct UpgradedStream {
    stream: Arc<TcpStream>,
    exchange: Exchange,
}

impl std::fmt::Debug for UpgradedStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UpgradedStream").finish_non_exhaustive()
    }
}

/// The place of an upgraded connection among all connections.
#[derive(Clone, Debug)]
pub struct ConnectionPlace(Arc<ConnectionSlot>);

impl ConnectionPlace {
    /// Waits until the connection has to close in favour of others.
    pub async fn wait_for_close(&self) {
        self.0.progress().wait_for_close().await;
    }

    /// Marks the connection as that of a caller whose credentials were accepted. When there are too
    /// many connections, those are closed last.
    pub fn set_signed_in(&self) {
        self.0.progress().set_signed_in();
    }
}

impl UpgradedStream {
    /// Returns the place of the connection among all connections.
    pub fn place(&self) -> ConnectionPlace {
        ConnectionPlace(Arc::clone(self.exchange.slot()))
    }
}

impl AsyncRead for UpgradedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let received = poll_receive(&self.stream, cx, buffer.initialize_unfilled());
        received.map_ok(|bytes| {
            self.exchange.slot().progress().add_read(bytes, false);
            buffer.advance(bytes);
        })
    }
}

impl AsyncWrite for UpgradedStream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let sent = poll_send(&self.stream, cx, &[IoSlice::new(bytes)]);
        let progress = self.exchange.slot().progress();
        match &sent {
            Poll::Ready(Ok(bytes)) => progress.add_written(*bytes),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => progress.write_is_pending(),
        }
        sent
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The socket has no write buffer in this process.
        self.exchange.slot().progress().is_flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = socket2::SockRef::from(&*self.stream).shutdown(std::net::Shutdown::Write);
        Poll::Ready(match done {
            // The client closed first.
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
            done => done,
        })
    }
}
