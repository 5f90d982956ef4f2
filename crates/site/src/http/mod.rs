//! Responses that are prepared once and sent many times, with their compressed forms, validators
//! and headers. Independent of any connection.

mod prepared;

pub(crate) use bindery_http::parse_weight;
pub use bindery_http::{Encoding, select_encoding};
pub(crate) use prepared::has_copy;
pub use prepared::{CacheControl, PreparedResponse};

/// Content security policy of published pages: no inline scripts or styles, and no foreign content
/// except images. Files of users have types that no browser runs, so that `'self'` means the
/// program's own script.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' https: data:; font-src 'self'; frame-src 'self' https://www.youtube-nocookie.com https://player.vimeo.com https://www.loom.com https://open.spotify.com https://codepen.io https://codesandbox.io https://embed.figma.com https://w.soundcloud.com https://stackblitz.com; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

#[cfg(test)]
mod tests;
