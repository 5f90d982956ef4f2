//! Texts made to cost much stay within the limits of processor time and memory.

use super::Outcome;
use anyhow::Result;

pub(super) fn run() -> Result<Outcome> {
    Outcome::of_command(
        crate::workspace::cargo()
            .args(["run", "--quiet", "--release", "--package", "bindery-content"])
            .args(["--features", "hostile", "--example", "sweep"]),
    )
}
