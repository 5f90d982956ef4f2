//! `cargo xtask test`: runs all tests of the project and cleans up afterwards.

use crate::postgres::{self, Cluster};
use crate::process;
use crate::tools;
use crate::workspace::{cargo, find_program, root, target_dir, temporary_folder, without_package};
use anyhow::{Result, ensure};
use clap::Args;
use std::path::PathBuf;
use std::process::Command;

/// The oldest version of Node.js that the npm client, Playwright and the Node.js test runner support.
const MIN_NODE_VERSION: u32 = 18;

/// The oldest version of Node.js whose test runner runs a chosen number of files at once.
const NODE_WITH_CONCURRENCY: u32 = 20;

/// The oldest version of `cargo nextest` that runs the tests, which is built where none is installed.
const NEXTEST_VERSION: &str = "0.9.115";

#[derive(Args)]
pub(crate) struct Options {
    /// Skips the npm client and the browser
    #[arg(long)]
    no_npm: bool,
    /// Arguments for `cargo nextest run` instead of all tests, such as `-p bindery --test it sign_in`
    #[arg(last = true)]
    cargo: Vec<String>,
}

/// Runs the tests. Returns `false` if one failed.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let mut skipped = Vec::new();
    println!("temporary files: {}", temporary_folder().display());
    let cluster = match postgres::find_or_install()? {
        Some(programs) => {
            println!("PostgreSQL: a private server of {}", programs.display());
            Some(Cluster::start(&programs)?)
        }
        None => {
            skipped.push(format!("every test on PostgreSQL: {}", postgres::HOW_TO_INSTALL));
            None
        }
    };
    let mut verdicts = vec![("crates", Verdict::of(run_crates(options, cluster.as_ref())?))];
    for (name, folder) in [("npm client", "tests/npm"), ("browser", "tests/browser")] {
        let outcome = match options.no_npm {
            true => NodeTests::Skipped("--no-npm was given".into()),
            false => node_tests(folder, cluster.as_ref())?,
        };
        verdicts.push((
            name,
            match outcome {
                NodeTests::Ran { passed } => Verdict::of(passed),
                NodeTests::Skipped(why) => {
                    skipped.push(format!("the tests of {folder}: {why}"));
                    Verdict::Skipped
                }
            },
        ));
    }
    drop(cluster);

    println!();
    for (name, verdict) in &verdicts {
        println!("{name}: {}", verdict.word());
    }
    for what in skipped {
        println!("skipped: {what}");
    }
    Ok(verdicts.iter().all(|(_, verdict)| *verdict != Verdict::Failed))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    Skipped,
}

impl Verdict {
    fn of(passed: bool) -> Self {
        if passed { Self::Passed } else { Self::Failed }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "FAILED",
            Self::Skipped => "left out",
        }
    }
}

/// Runs the tests of all crates and the examples in their documentation, or the tests that the
/// arguments name. Each test runs in a process of its own with a time limit, which
/// `.config/nextest.toml` sets.
fn run_crates(options: &Options, cluster: Option<&Cluster>) -> Result<bool> {
    let nextest = match tools::installed("cargo-nextest", NEXTEST_VERSION) {
        Some(installed) => installed,
        None => tools::tool("cargo-nextest", NEXTEST_VERSION, Some("default-no-update"))?,
    };
    let mut tests = Command::new(nextest);
    tests.args(["nextest", "run", "--build-jobs", "2"]).current_dir(root());
    without_package(&mut tests);
    // Tests wait for servers a third of their time.
    let processors = std::thread::available_parallelism().map_or(2, |count| count.get());
    tests.args(["--test-threads", &(processors * 3).div_ceil(2).to_string()]);
    // Tests do not write snapshots unless the caller asks for it.
    if std::env::var_os("INSTA_UPDATE").is_none() {
        tests.env("INSTA_UPDATE", "no");
    }
    if !options.cargo.is_empty() {
        return process::run(with_databases(tests.args(&options.cargo), cluster));
    }
    let tested = process::run(with_databases(tests.arg("--workspace"), cluster))?;
    let mut examples = cargo();
    examples.args(["test", "--doc", "--workspace", "--no-fail-fast", "--jobs", "2", "--quiet"]);
    let examples = process::run(&mut examples)?;
    Ok(tested && examples)
}

/// Passes the addresses of the private server and the folder for their files to the tests. Addresses
/// in the environment can belong to the user's own server, so they are not passed on.
fn with_databases<'a>(tests: &'a mut Command, cluster: Option<&Cluster>) -> &'a mut Command {
    for name in ["BINDERY_TEST_POSTGRES", "BINDERY_TEST_POSTGRES_CA"] {
        tests.env_remove(name);
    }
    tests.env("TMPDIR", temporary_folder());
    if let Some(cluster) = cluster {
        tests.env("BINDERY_TEST_POSTGRES", cluster.url());
        tests.env("BINDERY_TEST_POSTGRES_CA", cluster.authority());
    }
    tests
}

enum NodeTests {
    Ran { passed: bool },
    Skipped(String),
}

/// Builds the program as the tests of the crates do, and returns its path. A build without those
/// tests enables other features of dependencies, and compiles most of them again.
fn tested_binary() -> Result<PathBuf> {
    let mut build = cargo();
    build.args(["test", "--no-run", "--quiet", "--workspace", "--test", "it", "--jobs", "2"]);
    ensure!(process::run(&mut build)?, "the build failed");
    Ok(target_dir().join("debug/bindery"))
}

/// Runs the tests of a folder with the Node.js test runner against the program, if Node.js is
/// installed: those with the public npm client, or those in a browser.
fn node_tests(folder: &str, cluster: Option<&Cluster>) -> Result<NodeTests> {
    let folder = root().join(folder);
    let (Some(node), Some(npm)) = (find_program("node"), find_program("npm")) else {
        return Ok(NodeTests::Skipped(format!(
            "install Node {MIN_NODE_VERSION} or newer, with npm"
        )));
    };
    let version = Command::new(&node).arg("--version").output()?.stdout;
    let version = String::from_utf8_lossy(&version).trim().to_owned();
    let major = node_major(&version).unwrap_or(0);
    if major < MIN_NODE_VERSION {
        return Ok(NodeTests::Skipped(format!("Node {version} is older than {MIN_NODE_VERSION}")));
    }
    let binary = tested_binary()?;
    let installed = process::run(
        Command::new(npm).args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder),
    )?;
    if !installed {
        return Ok(NodeTests::Ran { passed: false });
    }
    let mut tests = Command::new(node);
    tests.args(["--test", "--test-reporter=spec"]).current_dir(&folder);
    if major >= NODE_WITH_CONCURRENCY {
        // The tests wait for the browser and the server most of the time.
        tests.arg("--test-concurrency=2");
    }
    let passed = process::run(with_databases(tests.env("BINDERY_BIN", binary), cluster))?;
    Ok(NodeTests::Ran { passed })
}

/// Returns the first number of a version such as `v20.1.2`.
fn node_major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_version_is_read() {
        assert_eq!(node_major("v20.20.2"), Some(20));
        assert_eq!(node_major("20.20.2"), None);
        assert_eq!(node_major(""), None);
    }
}
