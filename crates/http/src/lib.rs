//! The listener: connections, limits, bodies and shutdown. It knows nothing of operations or sites.

mod body;
mod connection;
mod listen;
mod percent;
mod proxies;

pub use hyper::body::Incoming;

pub use body::{Body, Pieces, ReadBodyError, read_body};
pub use listen::{Handler, ListenLimits, Peer, serve};
pub use percent::{decode as percent_decode, query_pairs};
pub use proxies::{Client, NotANetwork, TrustedProxies};

/// A request as it arrives.
pub type Request = http::Request<Incoming>;

/// An answer as it leaves.
pub type Response = http::Response<Body>;
