//! Change requests: content, conflicts, comparison, reviews and merge rules.

pub(crate) mod conflicts;
pub(crate) mod differences;
pub(crate) mod events;
pub(crate) mod lifecycle;
pub(crate) mod merge_rules;
pub(crate) mod reviews;
