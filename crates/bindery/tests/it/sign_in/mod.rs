//! Signing in, sessions, and the console pages.

mod console;
mod sessions;
