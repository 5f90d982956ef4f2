//! Tasks for developers and CI: `cargo xtask TASK`.

#![expect(clippy::print_stdout, reason = "tasks report on standard output")]

mod bench;
mod check;
mod contract;
mod diagrams;
mod icons;
mod postgres;
mod process;
mod report;
mod soak;
mod test;
mod tools;
mod web;
mod workspace;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(about = "Tasks for developers and CI", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs all tests: all crates on both databases, then the npm client and a browser against the binary
    Test(test::Options),
    /// Runs every check that CI runs
    Check(check::Options),
    /// Fetches the database of known vulnerabilities for the check `advisories`
    Advisories(check::advisories::Options),
    /// Measures the product next to a comparable program
    Bench(bench::Options),
    /// Generates the wire types from the contract
    Contract(contract::Options),
    /// Packs the library that draws diagrams from an npm package
    Diagrams(diagrams::Options),
    /// Copies the drawings of icons from npm packages
    Icons(icons::Options),
    /// Builds the browser application from the folder `web`
    Web(web::Options),
    /// Has many people write one page at random, with failures, and compares all texts
    Soak(soak::Options),
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
        Task::Diagrams(options) => diagrams::run(&options)?,
        Task::Icons(options) => icons::run(&options)?,
        Task::Web(options) => web::run(&options)?,
        Task::Soak(options) => soak::run(&options)?,
        Task::Report(options) => report::run(&options)?,
    };
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
