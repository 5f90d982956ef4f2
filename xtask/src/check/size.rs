//! Warns about long files. It does not fail, because only a person can decide where a file should
//! be divided.

use super::Outcome;
use crate::workspace::{read_text, rust_files};
use anyhow::Result;

const MAX_LINES: usize = 700;

pub(super) fn run() -> Result<Outcome> {
    let mut long = Vec::new();
    for path in rust_files("")? {
        let text = read_text(&path)?.unwrap_or_default();
        let lines = text.lines().count();
        if lines > MAX_LINES && !text.contains("@generated") {
            long.push(format!("{}: {lines} lines", path.display()));
        }
    }
    Ok(if long.is_empty() { Outcome::Passed } else { Outcome::Warned(long) })
}
