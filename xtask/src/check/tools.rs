//! Programs that the checks need in addition to cargo. They are built once from locked sources into
//! a cache folder, not into the user's own.

use anyhow::{Context, Result, ensure};
use std::path::PathBuf;

/// Returns the program `name` in exactly this version, building it if necessary.
pub(super) fn tool(name: &str, version: &str) -> Result<PathBuf> {
    let folder = folder()?.join(format!("{name}-{version}"));
    let program = folder.join("bin").join(name);
    if program.is_file() {
        return Ok(program);
    }
    println!("   building {name} {version} once, into {}", folder.display());
    let mut install = crate::workspace::cargo();
    install
        .args(["install", "--quiet", "--locked", name, "--version", version, "--root"])
        .arg(&folder)
        .env("CARGO_TARGET_DIR", crate::workspace::target_dir().join("tools"));
    ensure!(crate::process::run(&mut install)?, "{name} {version} could not be built");
    Ok(program)
}

fn folder() -> Result<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
    Ok(cache.context("neither XDG_CACHE_HOME nor HOME is set")?.join("bindery/tools"))
}
