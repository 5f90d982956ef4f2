//! Checks for unused dependencies, which cost build time and must be trusted.

use super::Outcome;
use crate::tools;
use anyhow::Result;
use std::process::Command;

pub(super) fn run() -> Result<Outcome> {
    Outcome::of_command(
        Command::new(tools::tool("cargo-machete", "0.9.2", None)?)
            .current_dir(crate::workspace::root()),
    )
}
