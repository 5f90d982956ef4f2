//! Checks that all crates use the workspace's lints, and that clippy reports nothing.

use super::Outcome;
use crate::workspace::{cargo, files, read_text};
use anyhow::{Context, Result};
use std::path::Path;

/// The only crate with lints of its own: SQLite's interface for file layers consists of C
/// functions, which need `unsafe`. The check `layers` ensures that only tests use the crate.
const OWN_LINTS: &str = "crates/faultfs/Cargo.toml";

pub(super) fn run() -> Result<Outcome> {
    let mut complaints = Vec::new();
    let root = read_text(Path::new("Cargo.toml"))?.context("Cargo.toml is not text")?;
    if !root.lines().any(|line| line.trim() == r#"unsafe_code = "forbid""#) {
        complaints.push("Cargo.toml: unsafe code is not forbidden".into());
    }
    for path in files()? {
        if path.file_name().is_none_or(|name| name != "Cargo.toml")
            || path.components().count() == 1
        {
            continue;
        }
        let manifest = read_text(&path)?.unwrap_or_default();
        if !takes_workspace_lints(&manifest) && path != Path::new(OWN_LINTS) {
            complaints.push(format!("{}: lacks [lints] workspace = true", path.display()));
        }
    }
    Ok(Outcome::of(complaints))
}

fn takes_workspace_lints(manifest: &str) -> bool {
    let mut lines = manifest.lines().map(str::trim);
    lines.any(|line| line == "[lints]") && lines.next() == Some("workspace = true")
}

pub(super) fn clippy() -> Result<Outcome> {
    Outcome::of_command(
        cargo()
            .args(["clippy", "--quiet", "--workspace", "--all-targets"])
            .args(["--", "-D", "warnings"]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_must_take_the_lints() {
        assert!(takes_workspace_lints("[package]\n\n[lints]\nworkspace = true\n"));
        assert!(!takes_workspace_lints("[package]\n"));
        assert!(!takes_workspace_lints("[lints]\n[dependencies]\nworkspace = true\n"));
    }
}
