//! Shared test support: the real server on both databases, a client that checks every exchange
//! against the contract, archives and a Git server.

#![expect(clippy::expect_used, reason = "a failure in test support fails the test")]

pub mod archives;
mod client;
mod exchange;
pub mod git_server;
mod nobody;
mod postgres;
mod server;
mod smtp_server;

pub use client::{Answer, Call, Client};
pub use nobody::NobodyListens;
pub use postgres::{Database, VARIABLE as POSTGRES_VARIABLE};
pub use server::{Engine, Installation, Refused, SETUP_TOKEN, Server};
pub use smtp_server::{ReceivedMail, SmtpServer};
