//! Runs the parsers on a fixed number of mutated inputs, which are the same in every run.

use super::Outcome;
use anyhow::Result;

/// The number of inputs for each target, which takes at most a minute.
const INPUTS: &str = "50000";
const SEED: &str = "1";

pub(super) fn run() -> Result<Outcome> {
    Outcome::of_command(
        crate::workspace::cargo()
            .args(["run", "--quiet", "--release", "--package", "bindery-content"])
            // With the features of the check `sweep`, so that the crate is compiled once for both.
            .args(["--features", "hostile", "--example", "fuzz", "--", INPUTS, SEED]),
    )
}
