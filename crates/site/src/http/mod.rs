//! Answers that are made once and sent many times: bytes, their compressed variants, validators
//! and headers, without a connection in sight.

mod encoding;
mod prepared;

pub use encoding::{Encoding, accepted};
pub use prepared::{CacheControl, Prepared};

/// The policy of published pages: nothing inline, nothing foreign but images.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' https: data:; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

#[cfg(test)]
mod tests;
