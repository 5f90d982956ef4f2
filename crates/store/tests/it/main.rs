//! The store as its users see it, on SQLite always and on PostgreSQL when `BINDERY_TEST_POSTGRES`
//! holds the URL of a server on which databases may be created.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod answers;
mod events;
mod jobs;
mod objects;
mod opening;
mod s3_server;
mod support;
mod tls;
mod transactions;
