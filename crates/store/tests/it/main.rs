//! Tests of the store's public interface. They always run on SQLite, and on PostgreSQL if
//! `BINDERY_TEST_POSTGRES` holds the URL of a server that allows creating databases.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod events;
mod idempotency;
mod jobs;
mod objects;
mod opening;
mod s3_server;
mod support;
mod tls;
mod transactions;
