//! Insights: events of readers, and queries about them.

mod access;
mod observed;
mod queries;
mod sent;
