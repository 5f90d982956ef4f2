//! `cargo xtask check`: runs the checks and prints a summary.

pub(crate) mod advisories;
mod contract;
mod deny;
mod docs;
mod format;
mod fuzz;
mod layers;
mod lints;
mod manual;
mod outside;
mod size;
mod sql;
mod sweep;
mod unused;
mod web;

use anyhow::{Result, ensure};
use clap::Args;
use std::process::Command;
use std::time::{Duration, Instant};

#[derive(Args)]
pub(crate) struct Options {
    /// Checks to run; all if none is named
    names: Vec<String>,
}

/// The result of a check.
enum Outcome {
    Passed,
    /// Remarks that do not make the check fail.
    Warned(Vec<String>),
    Failed(Vec<String>),
}

impl Outcome {
    /// Returns `Failed` if there are complaints, and `Passed` otherwise.
    fn of(complaints: Vec<String>) -> Self {
        if complaints.is_empty() { Self::Passed } else { Self::Failed(complaints) }
    }

    fn remarks(&self) -> &[String] {
        match self {
            Self::Passed => &[],
            Self::Warned(remarks) | Self::Failed(remarks) => remarks,
        }
    }

    /// Runs a command that prints its own complaints.
    fn of_command(command: &mut Command) -> Result<Self> {
        Ok(if crate::process::run(command)? { Self::Passed } else { Self::Failed(Vec::new()) })
    }
}

struct Check {
    name: &'static str,
    about: &'static str,
    run: fn() -> Result<Outcome>,
}

/// The checks, fast ones first, so that simple mistakes are reported before the long builds.
const CHECKS: [Check; 16] = [
    Check { name: "format", about: "cargo fmt", run: format::run },
    Check { name: "layers", about: "dependencies point down", run: layers::run },
    Check { name: "outside", about: "no path beside the repository", run: outside::run },
    Check { name: "manual", about: "every page listed, no dead link", run: manual::run },
    Check { name: "sql", about: "SQL text only in crates/store", run: sql::run },
    Check { name: "lints", about: "every crate has the lints, unsafe forbidden", run: lints::run },
    Check { name: "size", about: "no test over 60 lines, no file over 700", run: size::run },
    Check { name: "contract", about: "generated code and contract agree", run: contract::run },
    Check { name: "web", about: "the built application is that of its sources", run: web::run },
    Check { name: "clippy", about: "clippy without a warning", run: lints::clippy },
    Check { name: "docs", about: "documentation builds", run: docs::run },
    Check { name: "fuzz", about: "mutated sources cause no failure", run: fuzz::run },
    Check { name: "sweep", about: "hostile texts stay within time and memory", run: sweep::run },
    Check { name: "unused", about: "no unused dependency", run: unused::run },
    Check { name: "deny", about: "licences, bans, sources", run: deny::run },
    Check {
        name: "advisories",
        about: "no dependency with a known vulnerability",
        run: advisories::run,
    },
];

/// Runs the checks. Returns `false` if one failed.
pub(crate) fn run(options: &Options) -> Result<bool> {
    for name in &options.names {
        ensure!(
            CHECKS.iter().any(|check| check.name == name),
            "there is no check '{name}'; the checks are {}",
            CHECKS.map(|check| check.name).join(", ")
        );
    }
    let wanted =
        |check: &&Check| options.names.is_empty() || options.names.iter().any(|n| n == check.name);
    let mut rows = Vec::new();
    for check in CHECKS.iter().filter(wanted) {
        println!("── {}: {}", check.name, check.about);
        let started = Instant::now();
        let outcome = (check.run)().or_else(|error| {
            crate::process::check_interrupted()?;
            anyhow::Ok(Outcome::Failed(vec![format!("{error:#}")]))
        })?;
        for line in outcome.remarks() {
            println!("   {line}");
        }
        rows.push((check, outcome, started.elapsed()));
    }
    println!();
    for (check, outcome, took) in &rows {
        print_row(check, outcome, *took);
    }
    Ok(!rows.iter().any(|(_, outcome, _)| matches!(outcome, Outcome::Failed(_))))
}

fn print_row(check: &Check, outcome: &Outcome, took: Duration) {
    let word = match outcome {
        Outcome::Passed => "ok",
        Outcome::Warned(_) => "warned",
        Outcome::Failed(_) => "FAILED",
    };
    println!("{word:7} {:9} {:6.1} s  {}", check.name, took.as_secs_f64(), check.about);
}
