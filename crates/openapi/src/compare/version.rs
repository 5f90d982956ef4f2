//! The version of the interface, which should say that programs can fail.

use super::{Change, Level, words};
use crate::load::Description;

/// Returns the change that a version misses if others are breaking. A version that is not of three
/// numbers is not judged.
pub(super) fn judged(
    before: &Description,
    after: &Description,
    changes: &[Change],
) -> Option<Change> {
    let (old, new) = (version_of(before), version_of(after));
    let (old_numbers, new_numbers) = (numbers(old)?, numbers(new)?);
    let is_breaking = changes.iter().any(|change| change.level == Level::Breaking);
    let (old, new) = (words::quoted(old), words::quoted(new));
    let (rule, text) = if old == new {
        (
            "api-version-not-bumped",
            format!("The version is still {new}, although changes are breaking."),
        )
    } else if new_numbers < old_numbers {
        ("api-version-decreased", format!("The version went back from {old} to {new}."))
    } else if !is_major(old_numbers, new_numbers) {
        let text =
            format!("The version went from {old} to {new}, which announces no breaking change.");
        ("api-major-version-not-bumped", text)
    } else {
        return None;
    };
    let change = Change {
        rule,
        level: Level::Info,
        method: String::new(),
        path: String::new(),
        operation_id: String::new(),
        text,
    };
    is_breaking.then_some(change)
}

fn version_of(description: &Description) -> &str {
    description.top().field("info").and_then(|info| info.text("version")).unwrap_or_default()
}

/// Returns the three numbers of a version, without what follows them.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let version = version.strip_prefix('v').unwrap_or(version);
    let version = version.split(['-', '+']).next()?;
    let numbers: Result<Vec<u64>, _> = version.split('.').map(str::parse).collect();
    numbers.ok()?.try_into().ok()
}

/// Returns whether a version announces a breaking change: before version 1, by its second number.
fn is_major(old: [u64; 3], new: [u64; 3]) -> bool {
    match (old, new) {
        ([0, old, _], [0, new, _]) => new > old,
        ([old, ..], [new, ..]) => new > old,
    }
}
