//! Checks that the generated wire types and the split contract are up to date.

use super::Outcome;
use anyhow::{Context, Result};
use std::process::Command;

pub(super) fn run() -> Result<Outcome> {
    let this = std::env::current_exe().context("the path of this program")?;
    Outcome::of_command(
        Command::new(this).args(["contract", "--check"]).current_dir(crate::workspace::root()),
    )
}
