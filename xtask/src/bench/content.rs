//! Reading, rendering and printing of documents beside comrak and pulldown-cmark, in a program of
//! its own that is built for speed.

use super::Options;
use crate::workspace::{cargo, root};
use anyhow::Result;

/// Names a folder of repositories whose pages are measured; without it the manual's are.
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
