//! Checks that the repository does not refer to a folder outside of it. Only the CI script may.

use super::Outcome;
use crate::workspace::{files, read_text};
use anyhow::Result;
use std::path::Path;

/// The path of the folder, split so that this file does not contain it.
const OUTSIDE: &str = concat!("..", "/shared");

/// The only file that can contain the path.
const CI: &str = ".ci/run";

pub(super) fn run() -> Result<Outcome> {
    let mut complaints = Vec::new();
    for path in files()? {
        if path == Path::new(CI) {
            continue;
        }
        let text = read_text(&path)?.unwrap_or_default();
        for (index, line) in text.lines().enumerate() {
            if line.contains(OUTSIDE) {
                complaints.push(format!("{}:{}: names {OUTSIDE}", path.display(), index + 1));
            }
        }
    }
    Ok(Outcome::of(complaints))
}
