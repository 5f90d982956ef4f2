//! Supports the tests of all crates.
//!
//! An [`Installation`] starts the real server on either [`Engine`]; [`Client`] checks every exchange
//! with it against the contract. [`Database`] is a fresh PostgreSQL database, [`SmtpServer`] receives
//! mail, [`git_server`] serves Git repositories, and [`archives`] builds archives.

#![expect(clippy::expect_used, reason = "a failure in test support fails the test")]

pub mod archives;
mod client;
mod exchange;
pub mod git_hosting;
pub mod git_server;
mod postgres;
mod reserved_port;
mod server;
mod smtp_server;
pub mod ssh_server;

pub use client::{Answer, Call, Client};
pub use postgres::{Database, VARIABLE as POSTGRES_VARIABLE};
pub use reserved_port::ReservedPort;
pub use server::{Engine, Installation, SETUP_TOKEN, Server, StartFailure, copy_folder};
pub use smtp_server::{ReceivedMail, SmtpServer};
