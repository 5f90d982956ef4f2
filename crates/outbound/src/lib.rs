//! Sends all requests to other hosts: Git, webhooks, specifications, mail.
//!
//! A [`Guard`] decides which addresses may be reached. [`Client`] checks every address with it before it
//! connects (after resolution, and again at each redirect), so that users who enter addresses cannot
//! reach the server's internal network, and bounds the time and size of each [`Response`] by
//! [`Limits`]. [`Mailer`] sends mail through the server that the operator configures.
//!
//! # Example
//!
//! ```
//! use bindery_outbound::{Guard, Url};
//!
//! let guard = Guard::public_only();
//! assert!(guard.check_url(&Url::parse("https://example.org/docs.git")?).is_ok());
//! assert!(guard.check_url(&Url::parse("http://169.254.169.254/")?).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocking;
mod client;
mod error;
mod guard;
mod mail;
mod ranges;
mod request;
mod resolve;
mod ssh;
mod tls;

pub use blocking::{BlockingBody, BlockingResponse, wait, wait_until};
pub use client::{Body, Client, Response};
pub use error::{Error, Phase};
pub use guard::{Guard, GuardError, Refusal};
pub use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
pub use mail::{Mail, MailError, Mailer};
pub use request::{Authorization, Limits, Request};
pub use resolve::{Lookup, SystemLookup};
pub use ssh::{SshCommand, SshKey, SshKeyError, SshSession};
pub use tokio_util::sync::CancellationToken;
pub use url::Url;
