//! Checks that texts designed to be expensive stay within limits of processor time and memory.

use super::Outcome;
use anyhow::Result;

/// The maximum length of a text in bytes. Longer texts take minutes and are intended for developers
/// who change a limit.
const LONGEST_TEXT: &str = "131072";

pub(super) fn run() -> Result<Outcome> {
    Outcome::of_command(
        crate::workspace::cargo()
            .args(["run", "--quiet", "--release", "--package", "bindery-content"])
            .args(["--features", "hostile", "--example", "sweep", "--", LONGEST_TEXT]),
    )
}
