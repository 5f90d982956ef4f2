//! The only client for outbound requests: Git, webhooks, specifications. Mail goes through the mail
//! server that the operator configures.
//!
//! [`Guard`] decides which addresses may be reached. [`Client`] checks every address with it before
//! it connects (after resolution, and again at each redirect), so that users who enter addresses
//! cannot reach the server's internal network.

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
