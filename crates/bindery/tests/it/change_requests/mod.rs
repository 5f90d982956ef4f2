//! Change requests: content, conflicts, comparison, reviews and merge rules.

mod conflicts;
mod differences;
mod events;
mod fetched_files;
mod lifecycle;
mod merge_rules;
mod reviews;
