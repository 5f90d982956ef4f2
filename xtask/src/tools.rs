//! Programs that the tests and checks need in addition to cargo. They are built once from locked
//! sources into a cache folder, not into the user's own. An installed one of a new enough version
//! can take their place.

use crate::workspace::find_program;
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;
use std::process::Command;

/// Returns the program `name` as it is installed on this machine, if it has this version or a newer
/// one.
pub(crate) fn installed(name: &str, oldest: &str) -> Option<PathBuf> {
    let program = find_program(name)?;
    let output = Command::new(&program).arg("--version").output().ok()?.stdout;
    let text = String::from_utf8_lossy(&output).into_owned();
    let found = text.split_whitespace().find_map(numbers)?;
    (found >= numbers(oldest)?).then_some(program)
}

/// Returns the numbers of a version such as `0.9.143`.
fn numbers(version: &str) -> Option<Vec<u32>> {
    let numbers: Option<Vec<u32>> = version.split('.').map(|part| part.parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() == 3)
}

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

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(numbers("0.9.143") > numbers("0.9.20"));
        assert_eq!(numbers("cargo-nextest"), None);
        assert_eq!(numbers("2026-08-04"), None);
    }
}
