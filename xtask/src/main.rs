//! Repository chores, so that a person and CI run the same commands: `cargo xtask <task>`.

#![expect(clippy::print_stdout, reason = "a chore reports on standard output")]

mod bench;
mod check;
mod contract;
mod postgres;
mod process;
mod report;
mod test;
mod workspace;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(about = "Repository chores", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs every test: all crates on both databases, then the npm client against the binary
    Test(test::Options),
    /// Runs every check that CI runs
    Check(check::Options),
    /// Fetches the database of known flaws of dependencies, for the check `advisories`
    Advisories(check::advisories::Options),
    /// Measures the product beside a peer in the same run
    Bench(bench::Options),
    /// Writes the wire types from the contract
    Contract(contract::Options),
    /// Measures the product on a corpus and writes a report
    Report(report::Options),
}

fn main() -> anyhow::Result<ExitCode> {
    process::catch_interrupts()?;
    let passed = match Arguments::parse().task {
        Task::Test(options) => test::run(&options)?,
        Task::Check(options) => check::run(&options)?,
        Task::Advisories(options) => check::advisories::fetch(&options)?,
        Task::Bench(options) => bench::run(&options)?,
        Task::Contract(options) => contract::run(&options)?,
        Task::Report(options) => report::run(&options)?,
    };
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
