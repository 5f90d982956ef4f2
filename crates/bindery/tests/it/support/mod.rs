//! Test support: the test server, callers, test data and common requests.

pub(crate) mod browser;
pub(crate) mod change_requests;
mod clock;
mod configured;
pub(crate) mod containers;
pub(crate) mod content;
pub(crate) mod every_operation;
pub(crate) mod foreign_host;
pub(crate) mod insights;
pub(crate) mod large_files;
pub(crate) mod links;
mod lists;
pub(crate) mod mail;
pub(crate) mod openapi;
pub(crate) mod page_feedback;
pub(crate) mod pdf;
pub(crate) mod people;
mod raw_http;
pub(crate) mod repositories;
pub(crate) mod schema_bodies;
mod server;
pub(crate) mod two_organizations;
pub(crate) mod uploads;
pub(crate) mod wait;

pub(crate) use clock::SystemClock;
pub(crate) use configured::Configured;
pub(crate) use lists::{items, pages};
pub(crate) use raw_http::{Raw, parse, raw, send};
pub(crate) use server::{TestEnv, each_engine, each_engine_with, on_sqlite, on_sqlite_with};
pub(crate) use wait::{join_all, until};
