//! Insights: events of readers, and queries about them.

mod access;
mod queries;
mod sent;
