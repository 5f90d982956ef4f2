//! Change requests: content, conflicts, comparison, reviews and merge rules.

mod conflicts;
mod differences;
mod events;
mod lifecycle;
mod merge_rules;
mod reviews;
