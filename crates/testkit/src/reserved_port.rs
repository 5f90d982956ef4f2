//! A reserved local port without a listener.

use std::net::SocketAddr;

use tokio::net::TcpSocket;

/// A port of 127.0.0.1 that is bound, so that no other test uses it, but does not accept
/// connections.
#[derive(Debug)]
pub struct ReservedPort(TcpSocket);

impl ReservedPort {
    /// Reserves a free port.
    ///
    /// # Panics
    /// Panics if there is none.
    pub fn new() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a free port");
        Self(socket)
    }

    /// Returns its address.
    ///
    /// # Panics
    /// Panics if the system does not return the address.
    pub fn address(&self) -> SocketAddr {
        self.0.local_addr().expect("a socket that was bound")
    }
}

impl Default for ReservedPort {
    fn default() -> Self {
        Self::new()
    }
}
