//! The HTTP listener: connections, limits, bodies and shutdown. It is independent of the API and of
//! sites.

mod body;
mod connection;
mod cookies;
mod framing;
mod limits;
mod listen;
mod meter;
mod metrics;
mod percent;
mod progress;
mod proxies;
mod registry;
mod request_body;

pub use body::{Body, BodyPieces, ReadBodyError, read_body};
pub use cookies::{DeviceCookie, SessionCookie, is_cross_origin, request_host, user_agent};
pub use limits::ListenLimits;
pub use listen::{Handler, Peer, SignedIn, serve};
pub use metrics::ConnectionMetrics;
pub use percent::{decode as percent_decode, query_pairs};
pub use proxies::{Client, InvalidNetwork, TrustedProxies};
pub use request_body::RequestBody;

/// An incoming request.
pub type Request = http::Request<RequestBody>;

/// An outgoing response.
pub type Response = http::Response<Body>;
