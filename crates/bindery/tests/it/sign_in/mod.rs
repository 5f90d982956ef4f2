//! Signing in, sessions, and the console pages.

pub(crate) mod console;
pub(crate) mod sessions;
