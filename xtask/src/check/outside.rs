//! The repository stands alone: only CI's script knows of a folder beside it.

use super::Outcome;
use crate::workspace::{files, read_text};
use anyhow::Result;
use std::path::Path;

/// The folder beside the repository, written so that this file does not name it.
const BESIDE: &str = concat!("..", "/shared");

/// The one file that may name it.
const CI: &str = ".ci/run";

pub(super) fn run() -> Result<Outcome> {
    let mut complaints = Vec::new();
    for path in files()? {
        if path == Path::new(CI) {
            continue;
        }
        let text = read_text(&path)?.unwrap_or_default();
        for (index, line) in text.lines().enumerate() {
            if line.contains(BESIDE) {
                complaints.push(format!("{}:{}: names {BESIDE}", path.display(), index + 1));
            }
        }
    }
    Ok(Outcome::of(complaints))
}
