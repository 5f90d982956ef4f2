//! Checks that the documentation builds without broken links.

use super::Outcome;
use anyhow::Result;

pub(super) fn run() -> Result<Outcome> {
    Outcome::of_command(
        crate::workspace::cargo()
            .args(["doc", "--quiet", "--workspace", "--no-deps", "--document-private-items"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )
}
