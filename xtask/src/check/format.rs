//! Checks the formatting and lists the files to format. `cargo fmt` formats them.

use super::Outcome;
use anyhow::Result;

pub(super) fn run() -> Result<Outcome> {
    Outcome::of_command(crate::workspace::cargo().args(["fmt", "--all", "--check", "--", "-l"]))
}
