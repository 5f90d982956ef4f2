//! Audit events: their lists, and the event of each change.

mod every_change;
mod lists;
