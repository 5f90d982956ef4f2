//! What reads sources must stand any text: so many mutated ones, the same in every run.

use super::Outcome;
use anyhow::Result;

/// Inputs for each target: a minute's worth at most.
const INPUTS: &str = "50000";
const SEED: &str = "1";

pub(super) fn run() -> Result<Outcome> {
    Outcome::of_command(
        crate::workspace::cargo()
            .args(["run", "--quiet", "--release", "--package", "bindery-content"])
            .args(["--example", "fuzz", "--", INPUTS, SEED]),
    )
}
