//! One formatting, so that no review speaks of it. Names the files; `cargo fmt` mends them.

use super::Outcome;
use anyhow::Result;

pub(super) fn run() -> Result<Outcome> {
    Outcome::of_command(crate::workspace::cargo().args(["fmt", "--all", "--check", "--", "-l"]))
}
