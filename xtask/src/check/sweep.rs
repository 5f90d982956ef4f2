//! Texts made to cost much stay within the limits of processor time and memory.

use super::Outcome;
use anyhow::Result;

/// Longest text of the sweep in bytes. Longer ones are for the developer of a limit: they take
/// minutes.
const LONGEST_TEXT: &str = "65536";

pub(super) fn run() -> Result<Outcome> {
    Outcome::of_command(
        crate::workspace::cargo()
            .args(["run", "--quiet", "--release", "--package", "bindery-content"])
            .args(["--features", "hostile", "--example", "sweep", "--", LONGEST_TEXT]),
    )
}
