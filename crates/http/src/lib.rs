//! Runs the HTTP listener: connections, limits, bodies and shutdown. It is independent of the API and
//! of sites.
//!
//! [`serve`] accepts connections within [`ListenLimits`] and passes each [`Request`] to a [`Handler`],
//! which returns a [`Response`] with a [`Body`]. [`TrustedProxies`] determines the client of a request
//! behind reverse proxies. [`Encoding`] and [`Compressor`] compress bodies. [`Upgrade`] lets a
//! handler take over a connection for another protocol. [`SessionCookie`] and [`DeviceCookie`] read and write the cookies.
//!
//! # Example
//!
//! ```
//! use bindery_http::TrustedProxies;
//! use http::{HeaderMap, HeaderValue};
//!
//! let proxies = TrustedProxies::parse("10.0.0.0/8")?;
//! let mut headers = HeaderMap::new();
//! headers.insert("x-forwarded-for", HeaderValue::from_static("192.0.2.7"));
//! let client = proxies.client("10.1.2.3".parse()?, &headers);
//! assert_eq!(client.address.to_string(), "192.0.2.7");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod body;
mod compress;
mod connection;
mod cookies;
mod encoding;
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
mod upgrade;

pub use body::{Body, BodyPieces, ReadBodyError, read_body};
pub use compress::Compressor;
pub use cookies::{
    DeviceCookie, SessionCookie, SiteCookie, is_cross_origin, request_host, user_agent,
};
pub use encoding::{
    CompressionEffort, Encoding, MIN_COMPRESSED_BYTES, accepts_gzip, is_compressible, parse_weight,
    select_encoding,
};
pub use limits::ListenLimits;
pub use listen::{Handler, Peer, SignedIn, serve};
pub use metrics::ConnectionMetrics;
pub use percent::{decode as percent_decode, query_pairs};
pub use proxies::{Client, InvalidNetwork, TrustedProxies};
pub use request_body::RequestBody;
pub use upgrade::{ConnectionPlace, Upgrade, UpgradedStream};

/// An incoming request.
pub type Request = http::Request<RequestBody>;

/// An outgoing response.
pub type Response = http::Response<Body>;
