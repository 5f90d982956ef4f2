//! End-to-end tests of the program: a real server over a real socket, on SQLite and, if
//! `BINDERY_TEST_POSTGRES` names a test server, on PostgreSQL. The modules follow the groups of
//! operations; subjects of several groups have their own.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot go on fails, and says on which engine"
)]

mod access;
mod audit_events;
mod change_requests;
mod collections;
mod comments;
mod editing;
mod exports;
mod git_branches;
mod git_installations;
mod git_sync;
mod hardening;
mod imports;
mod links;
mod openapi;
mod operation;
mod organization_invites;
mod organization_members;
mod organizations;
mod permissions;
mod requests;
mod search;
mod sign_in;
mod sites;
mod snapshots;
mod space_content;
mod spaces;
mod support;
mod teams;
mod urls;
mod users;
