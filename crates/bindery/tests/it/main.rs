//! End-to-end tests of the program: a real server over a real socket, on SQLite and, if
//! `BINDERY_TEST_POSTGRES` names a test server, on PostgreSQL. The modules follow the groups of
//! operations.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot go on fails, and says on which engine"
)]

mod archives;
mod audit_events;
mod audited;
mod bad_imports;
mod bodies;
mod callers;
mod change_requests;
mod collect;
mod collections;
mod command_line;
mod comments;
mod comments_refused;
mod conflicts;
mod console;
mod content_warnings;
mod crowd;
mod data_folder;
mod differences;
mod edges;
mod escalation;
mod evaluated;
mod everything;
mod foreign;
mod foreign_bodies;
mod git_imports;
mod guessing;
mod headers;
mod hostile_imports;
mod hostile_pages;
mod identity;
mod invites;
mod kill;
mod lineage;
mod links;
mod logged;
mod main_job;
mod many_teams;
mod members;
mod merge_rules;
mod metrics;
mod moved_pages;
mod neighbours;
mod organizations;
mod page_fields;
mod page_list;
mod page_markdown;
mod paging;
mod permissions;
mod preconditions;
mod proxies;
mod purges;
mod rate_limits;
mod recorded;
mod references;
mod replays;
mod reviews;
mod sealing;
mod sign_in;
mod slow_clients;
mod space_settings;
mod spaces;
mod stored_links;
mod support;
mod teams;
mod templates;
mod users;
mod visitors;
mod whole_collections;
