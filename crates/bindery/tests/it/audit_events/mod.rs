//! Audit events: their lists, and the event of each change.

pub(crate) mod every_change;
pub(crate) mod lists;
