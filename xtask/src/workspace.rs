//! The repository's root, its files, cargo and the build folder.

use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Returns the repository's root folder. Cargo names it at each run, as clones can share a target
/// folder and with it this program.
pub(crate) fn root() -> &'static Path {
    static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
        let here = std::env::var_os("CARGO_MANIFEST_DIR");
        let here = here.map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        here.parent().map_or_else(|| here.clone(), Path::to_owned)
    });
    &ROOT
}

/// The folder of Linux whose files are in memory.
const IN_MEMORY: &str = "/dev/shm";
/// The size in bytes that must be free there, several times what the tests were seen to need.
const NEEDED: u64 = 3 << 30;

/// Returns the folder for files that tests make and delete: one in memory if it has room. File
/// systems on disks take half of the time of all tests to make and delete the files of databases.
pub(crate) fn temporary_folder() -> PathBuf {
    let free = rustix::fs::statvfs(IN_MEMORY).map(|found| found.f_bavail * found.f_frsize);
    match free {
        Ok(free) if free >= NEEDED && std::env::var_os("TMPDIR").is_none() => IN_MEMORY.into(),
        _ => std::env::temp_dir(),
    }
}

/// Returns a command for the cargo that started this task, in the root folder.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    without_package(&mut command);
    command
}

/// Removes what cargo says about this program from the environment of a command. Build scripts of
/// other packages look at it, and would run again after each build without it.
pub(crate) fn without_package(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
}

/// Returns cargo's target folder.
pub(crate) fn target_dir() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    root().join(named)
}

/// Builds the release binary of the product if it is outdated, and returns its path.
pub(crate) fn release_binary() -> Result<PathBuf> {
    let mut build = cargo();
    build.args(["build", "--release", "--package", "bindery", "--bin", "bindery"]);
    ensure!(crate::process::run(&mut build)?, "the release build failed");
    Ok(target_dir().join("release/bindery"))
}

/// Returns all files of the repository: tracked files, and new files that are not ignored.
pub(crate) fn files() -> Result<Vec<PathBuf>> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .context("git lists the repository's files")?;
    ensure!(listed.status.success(), "git ls-files failed: this needs a git checkout");
    let names = String::from_utf8(listed.stdout).context("file names are UTF-8")?;
    let mut files: Vec<PathBuf> = names
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(PathBuf::from)
        .filter(|path| root().join(path).is_file())
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// Returns the Rust sources among [`files`] below a folder.
pub(crate) fn rust_files(folder: &str) -> Result<Vec<PathBuf>> {
    let mut files = files()?;
    files.retain(|path| path.starts_with(folder) && path.extension().is_some_and(|e| e == "rs"));
    Ok(files)
}

/// Returns the text of a repository file; `None` if it is not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>> {
    let bytes = std::fs::read(root().join(path))
        .with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(String::from_utf8(bytes).ok())
}

/// Returns the first program with this name on the search path.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .chain(["/usr/sbin", "/usr/local/sbin", "/sbin"].map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|candidate| candidate.is_file())
}

/// Returns `true` if this process can install Debian packages.
pub(crate) fn may_install_packages() -> bool {
    rustix::process::geteuid().is_root() && find_program("apt-get").is_some()
}

/// Updates the package lists and installs Debian packages.
pub(crate) fn install_packages(names: &[&str]) -> Result<()> {
    let steps: [&[&str]; 2] = [
        &["update", "-qq"],
        &["install", "-qq", "--yes", "--no-install-recommends", "-o", "Dpkg::Use-Pty=0"],
    ];
    for (step, packages) in steps.into_iter().zip([&[], names]) {
        let mut apt = Command::new("apt-get");
        apt.args(step).args(packages).env("DEBIAN_FRONTEND", "noninteractive");
        ensure!(crate::process::run(&mut apt)?, "apt-get {} failed", step.join(" "));
    }
    Ok(())
}
