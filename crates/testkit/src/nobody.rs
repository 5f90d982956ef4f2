//! An address where nobody listens, for as long as a test needs it.

use std::net::SocketAddr;

use tokio::net::TcpSocket;

/// A port of 127.0.0.1 that is taken, so that no other test gets it, and not listened at.
#[derive(Debug)]
pub struct NobodyListens(TcpSocket);

impl NobodyListens {
    /// Takes a free port.
    ///
    /// # Panics
    /// When there is none.
    pub fn new() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
        Self(socket)
    }

    /// Its address.
    ///
    /// # Panics
    /// When the system does not tell it.
    pub fn address(&self) -> SocketAddr {
        self.0.local_addr().expect("a socket that was bound")
    }
}

impl Default for NobodyListens {
    fn default() -> Self {
        Self::new()
    }
}
