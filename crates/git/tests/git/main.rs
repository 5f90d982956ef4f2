//! Tests of fetching from a real server over a real socket, and of archives.

#![expect(clippy::unwrap_used, reason = "what goes wrong in here fails the test")]

mod archive;
mod bench;
mod changes;
mod fetch;
mod history;
mod hostile;
mod refusals;
