//! The one guarded client for requests to the outside: Git, webhooks, specifications. Mail goes
//! through the server that the operator names.
//!
//! [`Guard`] says which addresses may be reached, [`Client`] asks it for every address it is
//! about to connect to (after resolution, and again at each redirect), so that nobody who may
//! name an address can reach the server's own network through it.

mod blocking;
mod client;
mod error;
mod guard;
mod mail;
mod ranges;
mod request;
mod resolve;
mod tls;

pub use blocking::{BlockingBody, BlockingResponse, wait, wait_until};
pub use client::{Body, Client, Response};
pub use error::{Error, Phase};
pub use guard::{Guard, GuardError, Refusal};
pub use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
pub use mail::{Mail, MailError, Mailer};
pub use request::{Authorization, Limits, Request};
pub use resolve::{Lookup, SystemLookup};
pub use tokio_util::sync::CancellationToken;
pub use url::Url;
