//! Programs that the tests and checks need in addition to cargo. They are built once from locked
//! sources into a cache folder, not into the user's own.

use anyhow::{Context, Result, ensure};
use std::path::PathBuf;

/// Returns the program `name` in exactly this version, building it with the features `features`
/// (all default features if `None`) if necessary.
pub(crate) fn tool(name: &str, version: &str, features: Option<&str>) -> Result<PathBuf> {
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
        .env("CARGO_TARGET_DIR", crate::workspace::target_dir().join("tools"))
        // Building them takes longer than all of their runs.
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
    if let Some(features) = features {
        install.args(["--no-default-features", "--features", features]);
    }
    ensure!(crate::process::run(&mut install)?, "{name} {version} could not be built");
    Ok(program)
}

fn folder() -> Result<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
    Ok(cache.context("neither XDG_CACHE_HOME nor HOME is set")?.join("bindery/tools"))
}
