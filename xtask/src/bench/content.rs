//! Parsing, rendering and printing of documents, compared with comrak and pulldown-cmark in a
//! separate optimized program.

use super::Options;
use crate::workspace::{cargo, root};
use anyhow::Result;

/// The environment variable that names a folder of repositories to measure. The default is the
/// manual.
const CORPUS: &str = "BINDERY_CORPUS";

pub(super) fn run(options: &Options) -> Result<bool> {
    let folder = std::env::var_os(CORPUS).unwrap_or_else(|| root().join("docs").into());
    crate::process::run(
        cargo()
            .args(["run", "--quiet", "--release", "--package", "bindery-content"])
            .args(["--example", "compare", "--"])
            .arg(folder)
            .arg(options.rounds().to_string()),
    )
}
