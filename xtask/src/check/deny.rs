//! Checks licences, banned crates and sources by the rules in `deny.toml`. Advisories have a check
//! of their own.

use super::Outcome;
use crate::tools;
use anyhow::Result;
use std::process::Command;

pub(super) fn run() -> Result<Outcome> {
    Outcome::of_command(
        Command::new(tools::tool("cargo-deny", "0.20.2", None)?)
            .args(["--workspace", "--all-features", "--log-level", "error"])
            .args(["check", "licenses", "bans", "sources"])
            .current_dir(crate::workspace::root()),
    )
}
